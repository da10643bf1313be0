#pragma once

#include <string>
#include <string_view>

#include "base/diagnostics.h"
#include "base/result.h"
#include "base/task_pool.h"
#include "trace/trace.h"

namespace stepscope {

// The history of a memory snapshot as a trace: allocations with their call sites, what the
// allocator had handed out and reserved after each, annotations as spans. Figures before the
// history began are worked out backwards from what is live at its end.
Result<Trace> ReadSnapshotTrace(std::string_view bytes, const std::string& path, TaskPool& pool,
                                Diagnostics& diagnostics);

}  // namespace stepscope
