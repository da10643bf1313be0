#pragma once

#include <vector>

#include "read/xplane/hlo_proto.h"
#include "trace/trace.h"

namespace stepscope::xplane {

// Kernels of a CUDA graph all name the graph as their op, and XLA gives instructions that compile
// to the same code one kernel. But a graph runs the instructions of a computation in their order:
// where the kernels of a launch are as many as those and of their kinds (a library's kernel for a
// library call, a fusion's for a fusion), each belongs to the instruction at its place. Other
// launches stay as they are. O(kernels).
void NameGraphKernels(const std::vector<HloModule>& modules, Trace& trace);

}  // namespace stepscope::xplane
