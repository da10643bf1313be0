#include "advise/reordering.h"

#include "advise/rule_tools.h"

namespace stepscope {
namespace {

// The outermost op around a slice.
uint32_t OutermostOp(const Evidence& e, uint32_t slice) {
  uint32_t op = slice;
  for (SliceId at{slice}; at != kNoSlice; at = e.trace.slices.parent[Index(at)]) {
    if (e.trace.slices.kind[Index(at)] == Kind::kOp) op = Index(at);
  }
  return op;
}

}  // namespace

Reordering ReorderingOf(const Evidence& e) {
  Reordering found{.kernels = e.With(e.kernels(), NameTag::kTranspose), .calls = {}};
  // A copy made only to change strides: contiguous or clone of the same type. One that another op
  // makes for itself, or the backward pass, is nobody's to leave out.
  TagsAround around(e);
  for (const StepSpan& span : e.kernels()) {
    if (Has(e.TagsOfSpan(span), NameTag::kTranspose)) continue;
    const SliceId op = e.linked.links.op_of[e.trace.slices.args[span.slice]];
    if (op == kNoSlice) continue;
    if (!Has(around.Of(e.trace.slices.parent[Index(op)]), NameTag::kSameTypeCopy)) continue;
    const uint32_t call = OutermostOp(e, Index(op));
    const NameTags& tags = e.Tags(e.trace.slices.name[call]);
    if (!Has(tags, NameTag::kSameTypeCopy) && !Has(tags, NameTag::kReshape)) continue;
    found.kernels.push_back(span);
    found.calls.push_back({call, span.window});
  }
  found.calls = Outermost(e, found.calls);
  return found;
}

}  // namespace stepscope
