#include "tools/tune/trial.h"

#include <gtest/gtest.h>

namespace stepscope::tune {
namespace {

constexpr int64_t kMs = 1'000'000;

Trial Made(const std::string& value, const std::vector<int64_t>& steps_ms) {
  Trial trial;
  if (!value.empty()) trial.setting.variables = {{"X", value}};
  for (size_t i = 0; i < steps_ms.size(); ++i) {
    trial.runs.push_back({.round = static_cast<int64_t>(i),
                          .run_ns = steps_ms[i] * 100 * kMs,
                          .step_ns = steps_ms[i] * kMs,
                          .steps = 100});
  }
  return trial;
}

TEST(JudgeTrials, NamesTheFastestOfThoseProvenFaster) {
  const Tuned tuned =
      JudgeTrials({Made("", {100, 101, 102, 100, 101}), Made("1", {80, 81, 80, 82, 81}),
                   Made("2", {60, 61, 62, 60, 61}), Made("4", {140, 141, 139, 142, 140})},
                  {});
  EXPECT_EQ(tuned.metric, Metric::kStep);
  ASSERT_TRUE(tuned.best.has_value());
  EXPECT_EQ(NameOf(tuned.trials[*tuned.best].setting), "X=2");
  EXPECT_EQ(tuned.trials[2].compared.delta, -40 * kMs);
  // 5 against 5 without overlap: 2 of the 252 ways to divide ten, in each of three comparisons.
  EXPECT_NEAR(*tuned.trials[2].compared.p, 2.0 / 252, 2e-3);
  EXPECT_LT(*tuned.trials[2].compared.q, 0.05);
  EXPECT_EQ(tuned.trials[3].compared.result, diff::Outcome::kSlower);
}

TEST(JudgeTrials, AVariableWithoutEffectIsNoDifference) {
  const Tuned tuned = JudgeTrials(
      {Made("", {1000, 1004, 998, 1001, 1003}), Made("1", {1002, 999, 1003, 1000, 1001})}, {});
  EXPECT_EQ(tuned.trials[1].compared.result, diff::Outcome::kSame);
  EXPECT_FALSE(tuned.best.has_value());
}

// Each round is 10 % slower than the one before; settings take turns, so none wins by it.
TEST(JudgeTrials, ADriftingMachineDecidesNothing) {
  const Tuned tuned = JudgeTrials(
      {Made("", {1000, 1100, 1210, 1331, 1464}), Made("1", {1005, 1095, 1215, 1325, 1470})}, {});
  EXPECT_FALSE(tuned.best.has_value());
  EXPECT_NE(tuned.trials[1].compared.result, diff::Outcome::kFaster);
  EXPECT_NE(tuned.trials[1].compared.result, diff::Outcome::kSlower);
  ASSERT_TRUE(tuned.drift.has_value());
  EXPECT_NEAR(*tuned.drift, 0.464, 0.01);
}

TEST(JudgeTrials, RunsWithoutStepsAreComparedByTheirLength) {
  Trial base = Made("", {100, 101, 102, 100, 101}), other = Made("1", {50, 51, 52, 50, 51});
  for (Trial* trial : {&base, &other}) {
    for (Measured& run : trial->runs) run.step_ns.reset();
  }
  const Tuned tuned = JudgeTrials({base, other}, {});
  EXPECT_EQ(tuned.metric, Metric::kRun);
  EXPECT_EQ(tuned.trials[1].compared.now.median, 5100 * kMs);
  EXPECT_EQ(tuned.best, 1u);
}

TEST(JudgeTrials, AFailedSettingAndALostOneAreNotJudged) {
  Trial failed = Made("1", {10}), lost = Made("2", {10, 10, 10, 10, 10});
  failed.runs.back().exit_code = 1;
  lost.runs.back().lost["X"] = "8";
  const Tuned tuned = JudgeTrials({Made("", {100, 101, 102, 100, 101}), failed, lost}, {});
  EXPECT_FALSE(tuned.best.has_value());
  EXPECT_NE(tuned.trials[1].failure(), nullptr);
  EXPECT_EQ(tuned.trials[2].Lost().at("X"), "8");
}

// 2 / C(2n, n) · settings < 0.05: 2/70 = 0.029 for one, 3 · 2/252 = 0.024, 7 · 2/924 = 0.015.
TEST(RunsToDecide, GrowsWithTheNumberOfSettings) {
  EXPECT_EQ(RunsToDecide(1, 0.05), 4);
  EXPECT_EQ(RunsToDecide(3, 0.05), 5);
  EXPECT_EQ(RunsToDecide(7, 0.05), 6);
}

}  // namespace
}  // namespace stepscope::tune
