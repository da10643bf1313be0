#include <gtest/gtest.h>

#include "advise/testing/drawn.h"
#include "trace/recorded_counters.h"

// Rules on counters of a recording: samples that fire them, and samples that just do not.
namespace stepscope {
namespace {

// Four steps of 1 ms with the counters of a recording beside them.
class Recording {
 public:
  Recording() {
    trace_ = TraceText(Repeated(
        "main step:ProfilerStep#$ 0..1000  launch#1 0..5\ngpu:0 gemm#1 10..990\n", 4, 1000));
    trace_.recorded.present = true;
  }

  // One sample of the counter every 100 µs.
  Recording& Add(const char* name, const char* series, const std::vector<double>& values) {
    for (size_t i = 0; i < values.size(); ++i) {
      trace_.counters.push_back({.time = TimeNs{static_cast<int64_t>(i) * 100'000},
                                 .value = values[i],
                                 .name = trace_.strings.Intern(name),
                                 .series = trace_.strings.Intern(series)});
    }
    trace_.traits.resize(trace_.strings.size());
    return *this;
  }

  Recording& AsAnotherProfile() {
    trace_.recorded.present = false;
    return *this;
  }

  Advice Advised() {
    const Analyzed analyzed = AnalyzeDrawn(std::move(trace_));
    return AdviceWith(analyzed.linked, analyzed.report, {});
  }

 private:
  Trace trace_;
};

Recording Clocks(const std::vector<double>& held, double clock) {
  Recording recording;
  recording.Add(counters::kHeldByPower, "GPU 0", held)
      .Add(counters::kHeldByHeat, "GPU 0", std::vector<double>(held.size(), 0))
      .Add(counters::kGpuClock, "GPU 0", std::vector<double>(held.size(), clock))
      .Add(counters::kGpuHighestClock, "GPU 0", std::vector<double>(held.size(), 1980));
  return recording;
}

const std::vector<double> kHeldInTwoOfTen{1, 1, 0, 0, 0, 0, 0, 0, 0, 0};
const std::vector<double> kHeldInOneOfTen{1, 0, 0, 0, 0, 0, 0, 0, 0, 0};

// 1,200 of 1,980 MHz is 39 % less, in 20 % of the samples. The device is busy for 980 µs a step, so
// that at most 980 · 39.4 % = 386 µs could be saved.
TEST(DrawnCounters, GpuClockHeldDown) {
  const Advice advice = Clocks(kHeldInTwoOfTen, 1200).Advised();
  ASSERT_TRUE(Fired(advice, "gpu-clock-held-down"));
  const Finding* finding = FindingOf(advice, "gpu-clock-held-down");
  ASSERT_NE(finding, nullptr);
  EXPECT_EQ(InEnglish(finding->title), "The GPU ran at 1200 of 1980 MHz for power.");
}

// One sample of ten; 1,800 of 1,980 MHz, which is 9 % less.
TEST(DrawnCounters, GpuClockThatIsSeldomOrHardlyHeldDown) {
  EXPECT_FALSE(Fired(Clocks(kHeldInOneOfTen, 1200).Advised(), "gpu-clock-held-down"));
  EXPECT_FALSE(Fired(Clocks(kHeldInTwoOfTen, 1800).Advised(), "gpu-clock-held-down"));
}

TEST(DrawnCounters, ThreadWaitedForCpu) {
  const Advice advice = Recording()
                            .Add(counters::kThreadWaiting, "python 11", {2, 4, 3, 3})
                            .Add(counters::kThreadWaiting, "loader 12", {40, 38, 42, 40})
                            .Advised();
  ASSERT_TRUE(Fired(advice, "thread-waited-for-cpu"));
  EXPECT_EQ(InEnglish(FindingOf(advice, "thread-waited-for-cpu")->title),
            "Thread loader 12 waited 40 % of the time for a CPU.");
}

// 24 % is less than 25. A thread that was awake for one sample of four and waited through it has
// waited 80 / 4 = 20 % of the time.
TEST(DrawnCounters, ThreadThatHardlyWaitedForCpu) {
  EXPECT_FALSE(
      Fired(Recording().Add(counters::kThreadWaiting, "python 11", {24, 24, 24, 24}).Advised(),
            "thread-waited-for-cpu"));
  EXPECT_FALSE(Fired(Recording()
                         .Add(counters::kThreadWaiting, "python 11", {1, 1, 1, 1})
                         .Add(counters::kThreadWaiting, "sleeper 12", {80})
                         .Advised(),
                     "thread-waited-for-cpu"));
}

// 31 of 100 periods ended throttled; 4 of 100 are below the limit of 5 %.
TEST(DrawnCounters, ContainerThrottled) {
  const auto with = [](size_t throttled) {
    std::vector<double> periods(100, 0);
    std::fill_n(periods.begin(), throttled, 100.0);
    return Recording().Add(counters::kContainerThrottled, counters::kContainer, periods).Advised();
  };
  const Advice advice = with(31);
  ASSERT_TRUE(Fired(advice, "container-throttled"));
  EXPECT_EQ(InEnglish(FindingOf(advice, "container-throttled")->title),
            "The container was throttled 31 % of the time.");
  EXPECT_FALSE(Fired(with(4), "container-throttled"));
}

// Another profiler's counter of the same name means what that profiler means by it.
TEST(DrawnCounters, OfOtherProfilesAreNotRead) {
  EXPECT_FALSE(Fired(Recording()
                         .Add(counters::kThreadWaiting, "loader 12", {40, 38, 42, 40})
                         .AsAnotherProfile()
                         .Advised(),
                     "thread-waited-for-cpu"));
}

}  // namespace
}  // namespace stepscope
