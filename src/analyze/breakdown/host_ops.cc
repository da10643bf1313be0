#include "analyze/breakdown/host_ops.h"

#include <algorithm>

namespace stepscope {

bool IsInputThread(const Trace& trace, const Track& track) {
  return trace.strings[track.name].starts_with("tf_data");
}

bool RecordsHostOps(const Trace& trace) {
  return std::find(trace.slices.kind.begin(), trace.slices.kind.end(), Kind::kOp) !=
         trace.slices.kind.end();
}

}  // namespace stepscope
