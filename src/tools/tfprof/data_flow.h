#pragma once

#include <cstdint>
#include <span>

#include "link/links.h"
#include "read/xplane/hlo_graph.h"
#include "tools/tfprof/model.h"
#include "trace/trace.h"

namespace stepscope::tfprof {

// Gives the model's nodes the inputs that the profile records: a kernel takes from the op that
// launched it, a backward op from its forward op, the end of an arrow from its start, an XLA
// instruction from its operands, seen through those that never ran. Edges that would close a circle
// are left out, so that no node is unreachable. node_of_slice: kNoNode where a span is no node.
// Returns how many inputs there are.
size_t AddDataFlow(const Trace& trace, const Links& links, const HloGraph& hlo,
                   std::span<const int32_t> node_of_slice, Model& model);

}  // namespace stepscope::tfprof
