#include "analyze/breakdown/host_ops.h"

#include <algorithm>

namespace stepscope {

bool IsInputThread(const Trace& trace, const Track& track) {
  return trace.strings[track.name].starts_with("tf_data");
}

bool RecordsRuntimeAroundOps(const Trace& trace) {
  if (trace.facts.format != Format::kXPlane && trace.facts.format != Format::kRunMetadata) {
    return false;
  }
  return std::find(trace.slices.kind.begin(), trace.slices.kind.end(), Kind::kOp) !=
         trace.slices.kind.end();
}

}  // namespace stepscope
