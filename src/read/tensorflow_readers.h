#pragma once

#include <span>
#include <string>

#include "base/diagnostics.h"
#include "base/result.h"
#include "base/task_pool.h"
#include "io/byte_source.h"
#include "read/open_options.h"
#include "trace/trace.h"

// The readers of TensorFlow's and JAX's profiles, for the table of readers.
namespace stepscope {

Result<Trace> ReadXPlaneSource(OpenedSource source, const OpenOptions& options, TaskPool& pool,
                               Diagnostics& diagnostics);
Result<Trace> ReadRunMetadataSource(OpenedSource source, const OpenOptions& options, TaskPool& pool,
                                    Diagnostics& diagnostics);
// The run metadata and graph that TensorFlow 1 put into an event file. kUnsupported when it holds
// none, because then it is not a profile.
Result<Trace> ReadEventFileSource(OpenedSource source, const OpenOptions& options, TaskPool& pool,
                                  Diagnostics& diagnostics);

// Several session.runs of one program as the steps of one trace; `graph` may be empty.
Result<Trace> ReadRunMetadataFiles(std::span<const std::string> runs, const std::string& graph,
                                   TaskPool& pool, Diagnostics& diagnostics);

}  // namespace stepscope
