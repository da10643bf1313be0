#include "analyze/ops/call_tree.h"

#include <gtest/gtest.h>

#include "analyze/testing/analyzed.h"

namespace stepscope {
namespace {

// Whoever begins last among the calls that are the slice or contain it, by looking at all of them.
uint32_t InnermostByHand(const Trace& trace, const CallTree& tree, uint32_t slice) {
  const Slices& slices = trace.slices;
  uint32_t innermost = kNoRow;
  for (uint32_t call = 0; call < tree.size() && tree.SliceOf(call) <= slice; ++call) {
    const uint32_t at = tree.SliceOf(call);
    if (trace.TrackOf(at) != trace.TrackOf(slice)) continue;
    if (at == slice || slices.end(at) > slices.start[slice]) innermost = call;
  }
  return innermost;
}

TEST(CallTree, TheInnermostCallIsFoundFromAnywhere) {
  const Analyzed a = AnalyzeText(R"(
    main    aten::a 0..100   aten::b 10..40   launch#1 20..30   aten::c 50..90   aten::d 60..80   launch#2 65..70
    main    launch#3 110..120   aten::e 200..210   aten::f 220..300   launch#4 230..240   launch#5 310..320
    other   launch#6 5..6   aten::g 10..20   launch#7 12..14
    gpu:0   k#1 30..40   k#2 70..75   k#3 120..130   k#4 240..250   k#5 320..330   k#6 400..410   k#7 420..430
  )");
  const CallTree tree(Kind::kOp, a.trace);
  ASSERT_EQ(tree.size(), 7U);
  for (uint32_t slice = 0; slice < a.trace.slices.size(); ++slice) {
    const uint32_t wanted = InnermostByHand(a.trace, tree, slice);
    for (uint32_t from = 0; from <= tree.size() + 2; ++from) {
      uint32_t near = from;
      EXPECT_EQ(tree.InnermostAt(slice, near), wanted) << "slice " << slice << " from " << from;
    }
  }
}

}  // namespace
}  // namespace stepscope
