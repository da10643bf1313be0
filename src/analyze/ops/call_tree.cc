#include "analyze/ops/call_tree.h"

namespace stepscope {

CallTree::CallTree(Kind kind, const Trace& trace)
    : kind_(kind), innermost_(trace.slices.size(), kNoRow) {
  const Slices& slices = trace.slices;
  for (uint32_t i = 0; i < slices.size(); ++i) {
    const SliceId up = slices.parent[i];
    const uint32_t around = up == kNoSlice ? kNoRow : innermost_[Index(up)];
    innermost_[i] = around;
    if (slices.kind[i] != kind) continue;
    innermost_[i] = size();
    slice_.push_back(i);
    parent_.push_back(around);
  }
}

uint32_t CallTree::OwnerOf(const Work& work, const Links& links) const {
  if (work.row == kNoRow) return kNoRow;
  const SliceId from = kind_ == Kind::kOp ? links.op_of[work.row] : links.launch_of[work.row];
  return from == kNoSlice ? kNoRow : innermost_[Index(from)];
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
