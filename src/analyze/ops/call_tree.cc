#include "analyze/ops/call_tree.h"

namespace stepscope {

CallTree::CallTree(Kind kind, const Trace& trace)
    : kind_(kind), trace_(trace), innermost_(trace.slices.size(), kNoRow) {
  const Slices& slices = trace.slices;
  for (uint32_t i = 0; i < slices.size(); ++i) {
    if (slices.kind[i] == kind) {
      innermost_[i] = i;
      calls_.push_back(i);
    } else if (slices.parent[i] != kNoSlice) {
      innermost_[i] = innermost_[Index(slices.parent[i])];
    }
  }
}

uint32_t CallTree::ParentOf(uint32_t call) const {
  const SliceId up = trace_.slices.parent[call];
  return up == kNoSlice ? kNoRow : innermost_[Index(up)];
}

uint32_t CallTree::OwnerOf(const Work& work, const Links& links) const {
  if (work.row == kNoRow) return kNoRow;
  const SliceId from = kind_ == Kind::kOp ? links.op_of[work.row] : links.launch_of[work.row];
  return from == kNoSlice ? kNoRow : innermost_[Index(from)];
}

std::vector<bool> OutermostCalls(const Trace& trace, const CallTree& tree) {
  std::vector<bool> outermost(trace.slices.size(), false);
  std::vector<uint32_t> open;                                   // calls around the one at hand
  std::vector<uint32_t> open_of_name(trace.strings.size(), 0);  // how many of them, by name
  const auto count = [&](uint32_t call) -> uint32_t& {
    return open_of_name[Index(trace.slices.name[call])];
  };
  for (const uint32_t call : tree.calls()) {
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
