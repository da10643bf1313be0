#include "advise/forecast.h"

#include <gtest/gtest.h>

namespace stepscope {
namespace {

Saving Widened(int64_t lo, int64_t hi, int64_t step, int64_t most) {
  Saving saving;
  saving.replay_lo = {lo};
  saving.replay_hi = {hi};
  Widen({step}, {most}, saving);
  return saving;
}

// By hand: 11.4 % of a step of 1,000,000 are 114,000; the hypotenuse of 48,000 and 114,000 is
// 123,693, that of 48,000 and 22 % of 400,000 is 100,240.
TEST(Forecast, HalfTheLengthAndTheErrorAddUpInSquares) {
  const Saving saving = Widened(400'000, 496'000, 1'000'000, 1'000'000);
  EXPECT_EQ(saving.lo.ns, 448'000 - 100'240);
  EXPECT_EQ(saving.hi.ns, 448'000 + 123'693);
  EXPECT_EQ(saving.replay_lo.ns, 400'000);
  EXPECT_EQ(saving.replay_hi.ns, 496'000);
}

// 600,000 and 114,000: what is wide gets wider by 2 %.
TEST(Forecast, AWideIntervalHardlyChanges) {
  const Saving saving = Widened(0, 1'200'000, 1'000'000, 2'000'000);
  EXPECT_EQ(saving.lo.ns, 0);
  EXPECT_EQ(saving.hi.ns, 1'210'734);
}

TEST(Forecast, NothingIsPromisedThatTheStepCannotGiveBack) {
  const Saving saving = Widened(900'000, 900'000, 1'000'000, 950'000);
  EXPECT_EQ(saving.lo.ns, 786'000);
  EXPECT_EQ(saving.hi.ns, 950'000);
}

// 22 % below and 119 % above, not a tenth of the step.
TEST(Forecast, SmallSavingsStaySmall) {
  const Saving saving = Widened(10'000, 10'000, 1'000'000, 1'000'000);
  EXPECT_EQ(saving.lo.ns, 7'800);
  EXPECT_EQ(saving.hi.ns, 21'900);
}

}  // namespace
}  // namespace stepscope
