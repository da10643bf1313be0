#pragma once

#include "base/diagnostics.h"
#include "base/result.h"
#include "base/task_pool.h"
#include "io/byte_source.h"
#include "read/file_type.h"
#include "read/open_options.h"
#include "trace/trace.h"

namespace stepscope {

// Reads one file as one trace. `source` stands at the first byte.
using TraceReader = Result<Trace> (*)(OpenedSource source, const OpenOptions& options,
                                      TaskPool& pool, Diagnostics& diagnostics);

// The one table of what can be opened as a trace; nullptr for what cannot.
TraceReader ReaderOf(FileType type);

// Why a file of this type is not read as a trace, and what to do instead.
Error WhyNotRead(FileType type, const std::string& path, std::string_view head);

}  // namespace stepscope
