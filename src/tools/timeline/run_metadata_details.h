#pragma once

#include <vector>

#include "read/run_metadata/run_metadata_proto.h"
#include "tools/timeline/timeline_plan.h"

namespace stepscope {

// What a RunMetadata says of its rows beyond what a trace holds: shapes, types and bytes of
// outputs, memory, inputs. `run` must outlive the result; `trace` must have been made from it.
SpanDetails DetailsOf(const RunMetadata& run, const Trace& trace);
// Arrows from the op that made a tensor to those that take it, where they are on different rows.
std::vector<FlowArrow> DataFlowOf(const RunMetadata& run, const Trace& trace);

}  // namespace stepscope
