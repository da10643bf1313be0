#include "analyze/ops/call_tree.h"

#include <algorithm>

namespace stepscope {

CallTree::CallTree(Kind kind, const Trace& trace) : kind_(kind), trace_(&trace) {
  const Slices& slices = trace.slices;
  const auto calls = static_cast<size_t>(std::ranges::count(slices.kind, kind));
  parent_.reserve(calls);
  slice_.reserve(calls);
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
    }
  }
}

uint32_t CallTree::FirstAfter(uint32_t slice, uint32_t near) const {
  // Doubles its steps away from `near` until the place is known to be in [low, high].
  size_t low = 0, high = slice_.size(), step = 1;
  if (near < high && slice_[near] <= slice) {
    low = near + 1;
    while (low + step <= high && slice_[low + step - 1] <= slice) {
      low += step;
      step *= 2;
    }
    high = std::min(high, low + step - 1);
  } else {
    high = std::min<size_t>(high, near);
    while (high >= step && slice_[high - step] > slice) {
      high -= step;
      step *= 2;
    }
    if (high >= step) low = high - step + 1;
  }
  const auto begin = slice_.begin();
  const auto first = std::upper_bound(begin + static_cast<ptrdiff_t>(low),
                                      begin + static_cast<ptrdiff_t>(high), slice);
  return static_cast<uint32_t>(first - begin);
}

uint32_t CallTree::InnermostAt(uint32_t slice, uint32_t& near) const {
  const Slices& slices = trace_->slices;
  const uint32_t after = FirstAfter(slice, near);
  if (after == 0) return kNoRow;
  uint32_t call = after - 1;
  near = call;
  if (slice_[call] == slice) return call;
  const Track& lane = trace_->tracks[Index(trace_->TrackOf(slice_[call]))];
  if (slice >= lane.slices.last) return kNoRow;
  while (call != kNoRow && slices.end(slice_[call]) <= slices.start[slice]) call = parent_[call];
  return call;
}

SliceId CallTree::AskedBy(const Work& work, const Links& links) const {
  if (work.row == kNoRow) return kNoSlice;
  return kind_ == Kind::kOp ? links.op_of[work.row] : links.launch_of[work.row];
}

DeviceTotals::DeviceTotals(const Trace& trace, const Links& links, const DeviceWork& work,
                           const CallTree& tree) {
  if (work.empty()) return;
  all_.resize(tree.size());
  tensor_core_.resize(tree.size());
  OwnerLookup owners(tree, links);
  for (const Work& item : work.all()) {
    const uint32_t owner = owners.Of(item);
    if (owner == kNoRow) continue;
    all_[owner] += item.end - item.start;
    if (trace.Traits(item.slice).tensor_core) tensor_core_[owner] += item.end - item.start;
  }
  // Children come after their parents: from the back each total is complete when it is passed up.
  for (uint32_t call = tree.size(); call-- > 0;) {
    const uint32_t parent = tree.ParentOf(call);
    if (parent == kNoRow) continue;
    all_[parent] += all_[call];
    tensor_core_[parent] += tensor_core_[call];
  }
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
