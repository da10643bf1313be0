#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "analyze/selection.h"
#include "base/time.h"
#include "link/device_work.h"

namespace stepscope {

// Where ops stand in the program: nn.Module tree, or call stacks where no modules are recorded.
struct ScopeRow {
  std::string path;  // "GPT2 > h.0 > attn"
  uint64_t calls = 0;
  DurationNs host_total, device_total;
};

// Where ops are in the program, one row per path, parents before children, siblings by device time:
// the tree of nn.Module calls; without module frames, the tree of Python functions; without Python
// frames, the call stacks that ops carry. Device time is the time of work launched inside. For call
// stacks, host time is the time inside ops. O(slices).
std::vector<ScopeRow> AnalyzeModules(const Trace& trace, const Links& links, const DeviceWork& work,
                                     const StepSelection& selection);

}  // namespace stepscope
