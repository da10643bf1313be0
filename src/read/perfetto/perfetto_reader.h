#pragma once

#include <string>
#include <string_view>

#include "base/diagnostics.h"
#include "base/result.h"
#include "base/task_pool.h"
#include "read/open_options.h"
#include "trace/trace.h"

namespace stepscope {

// A Perfetto trace: a chain of packets, some of which hold compressed packets. A file that ends in
// the middle of a packet is good up to there.
Result<Trace> ReadPerfetto(std::string_view bytes, const std::string& path,
                           const OpenOptions& options, TaskPool& pool, Diagnostics& diagnostics);

}  // namespace stepscope
