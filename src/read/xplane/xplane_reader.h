#pragma once

#include <functional>
#include <stop_token>
#include <string>
#include <string_view>

#include "base/diagnostics.h"
#include "base/result.h"
#include "base/task_pool.h"
#include "io/byte_source.h"
#include "read/xplane/space_bytes.h"
#include "trace/trace.h"

namespace stepscope {

// Reads a serialized XSpace (TensorFlow's and JAX's *.xplane.pb): every plane, line and event.
// Unknown fields are skipped and counted; a message cut short gives everything before the cut and a
// diagnostic with the byte offset. An Error only when there is nothing to show, or when `stop` says
// so. Lines are read in parallel, in pieces of 65,536 events or 2 MiB; about 40 ns per event and
// thread.
Result<Trace> ReadXPlane(const xplane::SpaceBytes& file, const std::string& path, TaskPool& pool,
                         Diagnostics& diagnostics, const std::stop_token& stop = {});
Result<Trace> ReadXPlane(const FileBytes& file, const std::string& path, TaskPool& pool,
                         Diagnostics& diagnostics, const std::stop_token& stop = {});

}  // namespace stepscope
