#include "link/steps.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

#include "trace/testing/trace_text.h"

namespace stepscope {
namespace {

using testing::ElementsAre;
using testing::Pair;

struct Found {
  Steps steps;
  Diagnostics diagnostics;
};

Found StepsIn(const Trace& trace) {
  TaskPool pool(1);
  Found found;
  found.steps = FindSteps(trace, FindLinks(trace, pool), found.diagnostics);
  return found;
}

Found StepsIn(const std::string& text) { return StepsIn(TraceText(text)); }

// (start, end) of each.
std::vector<std::pair<int64_t, int64_t>> IntervalsOf(const Steps& steps) {
  std::vector<std::pair<int64_t, int64_t>> intervals;
  for (const Step& step : steps.items) intervals.emplace_back(step.start.ns, step.end().ns);
  return intervals;
}

std::vector<WhyUnused> ReasonsOf(const Steps& steps) {
  std::vector<WhyUnused> reasons;
  for (const Step& step : steps.items) reasons.push_back(step.why_unused);
  return reasons;
}

TEST(FindSteps, AStepLastsUntilTheDeviceWorkItLaunchedIsDone) {
  const auto [steps, diagnostics] = StepsIn(R"(
    main   ProfilerStep#5 0..100  launch#1 10..12   ProfilerStep#6 100..200  launch#2 110..112
    gpu:0  a#1 20..130  b#2 130..180
  )");
  EXPECT_EQ(steps.source_name, "ProfilerStep");
  EXPECT_EQ(steps.items[0].number, 5);
  EXPECT_THAT(IntervalsOf(steps), ElementsAre(Pair(0, 130), Pair(130, 200)));
  EXPECT_EQ(steps.items[0].host_duration.ns, 100);
  EXPECT_THAT(steps.step_of_device, ElementsAre(0, 1));
}

TEST(FindSteps, TheFirstStepStartsAfterDeviceWorkOfBefore) {
  // `old` was launched before the profile and ends before the step's first kernel starts; `late`
  // was, too, but ends after that.
  const auto [steps, diagnostics] = StepsIn(R"(
    main     ProfilerStep#1 10..100  launch#1 30..32  ProfilerStep#2 100..200  launch#2 120..122
    gpu:0    old#91 0..25  a#1 40..90  b#2 130..180
    gpu:0/8  late#92 5..60
  )");
  EXPECT_THAT(IntervalsOf(steps), ElementsAre(Pair(25, 100), Pair(100, 200)));
}

TEST(FindSteps, ALaunchAcrossTheBorderBelongsToNoStep) {
  const auto [steps, diagnostics] = StepsIn(R"(
    main      ProfilerStep#1 0..100  launch#1 10..12  ProfilerStep#2 100..200  launch#2 110..111
    thread:2  launch#3 95..105  launch#4 50..60
    gpu:0     a#1 20..30  c#3 120..190  b#2 190..195  d#4 30..40
  )");
  EXPECT_THAT(steps.step_of_device, ElementsAre(0, kNoRow, 1, 0)) << "any thread, wholly inside";
}

TEST(FindSteps, LeavesOutCutStepsAtTheEnd) {
  const auto [steps, diagnostics] = StepsIn(R"(
    main   ProfilerStep#1 0..100   launch#1 10..11   launch#2 12..13   launch#3 14..15
    main   ProfilerStep#2 100..200 launch#4 110..111 launch#5 112..113
    main   ProfilerStep#3 200..300
    gpu:0  a#1 20..30 a#2 30..40 a#3 40..50 a#4 120..130 a#5 130..140
  )");
  // Two of three is under 80 %, and the last has none.
  EXPECT_THAT(ReasonsOf(steps),
              ElementsAre(WhyUnused::kUsed, WhyUnused::kCut, WhyUnused::kNoDeviceWork));
  EXPECT_EQ(diagnostics.CountOf(Diagnostic::kStepCut), 2U);
}

TEST(FindSteps, EightyPercentIsNotCut) {
  const auto [steps, diagnostics] = StepsIn(R"(
    main   ProfilerStep#1 0..100   launch#1 1..2 launch#2 2..3 launch#3 3..4 launch#4 4..5 launch#5 5..6
    main   ProfilerStep#2 100..200 launch#6 101..102 launch#7 102..103 launch#8 103..104 launch#9 104..105
    gpu:0  a#1 11..12 a#2 12..13 a#3 13..14 a#4 14..15 a#5 15..16 a#6 111..112 a#7 112..113 a#8 113..114
    gpu:0  a#9 114..115
  )");
  EXPECT_THAT(ReasonsOf(steps), ElementsAre(WhyUnused::kUsed, WhyUnused::kUsed));
}

TEST(FindSteps, WithoutADeviceHostSpansTellWhatIsCut) {
  const auto [steps, diagnostics] = StepsIn(R"(
    main   ProfilerStep#1 0..100   op:a 10..20  op:b 20..30  op:c 30..40  op:d 40..50
    main   ProfilerStep#2 100..200 op:a 110..120
  )");
  EXPECT_THAT(ReasonsOf(steps), ElementsAre(WhyUnused::kUsed, WhyUnused::kCut));
}

TEST(FindSteps, LeadingLongStepsAreWarmup) {
  // 151 > 1.5 x 100; then 150 is not.
  const auto [steps, diagnostics] = StepsIn(R"(
    main  ProfilerStep#0 0..500  ProfilerStep#1 500..651  ProfilerStep#2 651..801
    main  ProfilerStep#3 801..901  ProfilerStep#4 901..1001  ProfilerStep#5 1001..1401
    main  op:a 1..2 op:a 501..502 op:a 652..653 op:a 802..803 op:a 902..903 op:a 1002..1003
  )");
  EXPECT_THAT(ReasonsOf(steps),
              ElementsAre(WhyUnused::kWarmup, WhyUnused::kWarmup, WhyUnused::kUsed,
                          WhyUnused::kUsed, WhyUnused::kUsed, WhyUnused::kUsed));
  EXPECT_EQ(diagnostics.CountOf(Diagnostic::kStepWarmup), 2U);
}

TEST(FindSteps, AShortMarkerDelimitsStartToStart) {
  const auto [steps, diagnostics] = StepsIn(R"(
    main  step:train#1 0..40  step:train#2 100..140  step:train#3 200..240  op:tail 240..280
  )");
  EXPECT_EQ(steps.source_name, "StepTraceAnnotation");
  EXPECT_THAT(IntervalsOf(steps), ElementsAre(Pair(0, 100), Pair(100, 200), Pair(200, 280)));
}

TEST(FindSteps, NumberedAnnotationsAreSteps) {
  const auto [steps, diagnostics] = StepsIn(R"(
    main  anno:load 0..50 anno:iter_7 50..150 anno:iter_8 150..250 anno:iter_9 250..350
    main  anno:part 60..70 anno:part 160..170 anno:part 260..270
  )");
  EXPECT_EQ(steps.source_name, "annotation iter");
  ASSERT_EQ(steps.items.size(), 3U);
  EXPECT_EQ(steps.items[2].number, 9);
}

TEST(FindSteps, AnnotationsOfAPartOfAStepAreNoSteps) {
  const auto [steps, diagnostics] = StepsIn(R"(
    main  anno:forward 0..30 anno:other 30..60 anno:forward 100..130 anno:forward 200..230
    main  anno:layer_0 0..1 anno:layer_1 1..2 anno:layer_0 100..101 anno:layer_1 101..102
  )");
  EXPECT_NE(steps.source, StepSource::kAnnotation) << steps.source_name;
}

std::string Loop(int rounds, const std::string& spans_of_round) {
  // {t} stands for the start of the round, each being 1,000,000 ns long.
  std::string text;
  for (int r = 0; r < rounds; ++r) {
    std::string line = spans_of_round;
    const std::string start = std::to_string(r * 1000);
    for (size_t at = line.find("{t}"); at != std::string::npos; at = line.find("{t}")) {
      line.replace(at, 3, start);
    }
    text += line + "\n";
  }
  return text;
}

TEST(FindSteps, FindsTheRoundsOfALoop) {
  const auto [steps, diagnostics] = StepsIn(
      Loop(5, "main op:load {t}100..{t}300 op:forward {t}310..{t}600 op:loss {t}600..{t}700"));
  EXPECT_EQ(steps.source, StepSource::kRepetition);
  EXPECT_EQ(steps.items.size(), 5U);
  EXPECT_DOUBLE_EQ(steps.confidence, 1);
  EXPECT_EQ(diagnostics.CountOf(Diagnostic::kStepsByRepetition), 5U);
  // 400,000 ns of silence between rounds is long, and the profile started with the first span.
  EXPECT_EQ(steps.items[1].start.ns, 1'000'000);
}

TEST(FindSteps, LayersInsideOfARoundAreNoSteps) {
  const auto [steps, diagnostics] = StepsIn(Loop(4, R"(
    main op:load {t}000..{t}100 op:mm {t}100..{t}200 op:relu {t}200..{t}250 op:mm {t}300..{t}400
    main op:relu {t}400..{t}450 op:mm {t}500..{t}600 op:relu {t}600..{t}650 op:loss {t}700..{t}800
  )"));
  EXPECT_EQ(steps.items.size(), 4U);
}

TEST(FindSteps, PausesTellRoundsOfEqualOpsApart) {
  // Six rounds of five equal ops: nothing but the pause says where one ends.
  std::string text = "main";
  for (int r = 0; r < 6; ++r) {
    for (int i = 0; i < 5; ++i) {
      const int64_t start = r * 100'000 + i * 10'000;
      text += " op:mm " + std::to_string(start) + ".." + std::to_string(start + 9'000);
    }
  }
  const auto [steps, diagnostics] = StepsIn(text);
  ASSERT_EQ(steps.items.size(), 6U);
  // Work ends at 49,000 and goes on at 100,000; two thirds of the silence are before the border.
  EXPECT_EQ(steps.items[0].end().ns, 49'000 + 34'000);
}

TEST(FindSteps, WhereNothingRepeatsThereAreNoSteps) {
  const auto [steps, diagnostics] = StepsIn(R"(
    main  op:a 0..10 op:b 10..20 op:c 20..30 op:d 30..40 op:e 40..50 op:f 50..60 op:g 60..70
  )");
  EXPECT_EQ(steps.source, StepSource::kNone);
  EXPECT_EQ(steps.source_name, "none");
  EXPECT_TRUE(steps.items.empty());
  EXPECT_EQ(diagnostics.CountOf(Diagnostic::kNoSteps), 1U);
}

TEST(FindSteps, LayersOfOneForwardPassAreNoSteps) {
  const auto [steps, diagnostics] = StepsIn(R"(
    main  op:embedding 0..10 op:arange 10..15 op:mask 15..20 op:norm 20..30 op:mm 30..40 op:add 40..50
    main  op:norm 50..60 op:mm 60..70 op:add 70..80 op:norm 80..90 op:mm 90..100 op:add 100..110
    main  op:pool 110..120 op:tanh 120..130 op:argmax 130..140
  )");
  EXPECT_EQ(steps.source, StepSource::kNone);
}

TEST(FindSteps, AnEmptyTraceHasNoSteps) { EXPECT_TRUE(StepsIn(Trace()).steps.items.empty()); }

}  // namespace
}  // namespace stepscope
