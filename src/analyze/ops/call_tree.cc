#include "analyze/ops/call_tree.h"

#include <algorithm>

namespace stepscope {

CallTree::CallTree(Kind kind, const Trace& trace) : kind_(kind), trace_(&trace) {
  const Slices& slices = trace.slices;
  std::vector<uint32_t> open;  // calls around the one at hand, innermost last
  for (const Track& track : trace.tracks) {
    open.clear();
    for (uint32_t i = track.slices.first; i < track.slices.last; ++i) {
      if (slices.kind[i] != kind) continue;
      // Spans of a lane nest, so what has not ended is around this one.
      while (!open.empty() && slices.end(slice_[open.back()]) <= slices.start[i]) open.pop_back();
      parent_.push_back(open.empty() ? kNoRow : open.back());
      open.push_back(size());
      slice_.push_back(i);
      lane_end_.push_back(track.slices.last);
    }
  }
}

uint32_t CallTree::InnermostAt(uint32_t slice) const {
  const Slices& slices = trace_->slices;
  const auto after = std::upper_bound(slice_.begin(), slice_.end(), slice);
  if (after == slice_.begin()) return kNoRow;
  auto call = static_cast<uint32_t>(after - slice_.begin() - 1);
  if (slice_[call] == slice) return call;
  if (slice >= lane_end_[call]) return kNoRow;
  while (call != kNoRow && slices.end(slice_[call]) <= slices.start[slice]) call = parent_[call];
  return call;
}

SliceId CallTree::AskedBy(const Work& work, const Links& links) const {
  if (work.row == kNoRow) return kNoSlice;
  return kind_ == Kind::kOp ? links.op_of[work.row] : links.launch_of[work.row];
}

std::vector<bool> OutermostCalls(const Trace& trace, const CallTree& tree) {
  std::vector<bool> outermost(tree.size(), false);
  std::vector<uint32_t> open;                                   // calls around the one at hand
  std::vector<uint32_t> open_of_name(trace.strings.size(), 0);  // how many of them, by name
  const auto count = [&](uint32_t call) -> uint32_t& {
    return open_of_name[Index(trace.slices.name[tree.SliceOf(call)])];
  };
  for (uint32_t call = 0; call < tree.size(); ++call) {
    const uint32_t parent = tree.ParentOf(call);
    while (!open.empty() && open.back() != parent) {
      --count(open.back());
      open.pop_back();
    }
    outermost[call] = count(call)++ == 0;
    open.push_back(call);
  }
  return outermost;
}

}  // namespace stepscope
