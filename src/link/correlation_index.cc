#include "link/correlation_index.h"

#include <algorithm>
#include <limits>

namespace stepscope {
namespace {

bool StartsDeviceWork(const Trace& trace, SliceId call) {
  const NameTraits& traits = trace.Traits(Index(call));
  return traits.launch_call || traits.copy_call;
}

}  // namespace

CorrelationIndex::CorrelationIndex(const Trace& trace) {
  const Slices& slices = trace.slices;
  smallest_ = std::numeric_limits<uint64_t>::max();
  uint64_t largest = 0;
  for (const CallArgs& call : trace.call_args) {
    if (call.correlation == kNoCorrelation) continue;
    smallest_ = std::min(smallest_, call.correlation);
    largest = std::max(largest, call.correlation);
  }
  if (largest < smallest_) return;
  // At most 32 bytes of table per call.
  const bool is_dense = largest - smallest_ < trace.call_args.size() * 8 + 1024;
  if (is_dense) {
    dense_.assign(largest - smallest_ + 1, kNoSlice);
  } else {
    sparse_.reserve(trace.call_args.size());
  }
  for (uint32_t row = 0; row < slices.size(); ++row) {
    if (slices.kind[row] != Kind::kCall || slices.args[row] == kNoRow) continue;
    const uint64_t correlation = trace.call_args[slices.args[row]].correlation;
    if (correlation == kNoCorrelation) continue;
    SliceId& call = is_dense ? dense_[correlation - smallest_]
                             : sparse_.emplace(correlation, kNoSlice).first->second;
    if (call == kNoSlice ||
        (!StartsDeviceWork(trace, call) && StartsDeviceWork(trace, SliceId{row}))) {
      call = SliceId{row};
    }
  }
}

SliceId CorrelationIndex::CallWith(uint64_t correlation) const {
  if (correlation == kNoCorrelation) return kNoSlice;
  if (!sparse_.empty()) {
    const auto at = sparse_.find(correlation);
    return at == sparse_.end() ? kNoSlice : at->second;
  }
  if (correlation < smallest_ || correlation - smallest_ >= dense_.size()) return kNoSlice;
  return dense_[correlation - smallest_];
}

}  // namespace stepscope
