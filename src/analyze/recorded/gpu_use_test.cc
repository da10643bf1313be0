#include "analyze/recorded/gpu_use.h"

#include <gtest/gtest.h>

#include "trace/recorded_counters.h"

namespace stepscope {
namespace {

constexpr int64_t kMs = 1'000'000;

struct Drawn {
  Trace trace;
  std::vector<DeviceBusy> devices;

  // A kernel of 40 ms in each 100 ms, so many times, and a sample of NVML at each start.
  Drawn(int periods, double percent) {
    trace.recorded.present = true;
    trace.devices.push_back({.type = DeviceType::kGpu, .index = 1});
    std::vector<Interval> work;
    for (int i = 0; i < periods; ++i) {
      const int64_t start = i * 100 * kMs;
      work.push_back({TimeNs{start}, TimeNs{start + 40 * kMs}});
      Sample(start, "GPU 1", percent);
    }
    devices.push_back({.device = 0, .busy = IntervalSet::Of(work), .compute = {}});
  }

  void Sample(int64_t time, const char* series, double percent) {
    trace.counters.push_back({.time = TimeNs{time},
                              .value = percent,
                              .name = trace.strings.Intern(counters::kGpuInUse),
                              .series = trace.strings.Intern(series)});
  }
};

// 21 kernels of 40 ms, from 0 to 2,040 ms: busy for 840 / 2,040. Samples before the work and those
// of another GPU do not count.
TEST(AnalyzeGpuUse, SetsSamplesBesideBusyTime) {
  Drawn drawn(21, 97);
  drawn.Sample(-5 * kMs, "GPU 1", 0);
  drawn.Sample(500 * kMs, "GPU 0", 0);
  const std::vector<GpuUse> uses = AnalyzeGpuUse(drawn.trace, drawn.devices);
  ASSERT_EQ(uses.size(), 1u);
  EXPECT_EQ(uses[0].device, 1);
  EXPECT_EQ(uses[0].samples, 21u);
  EXPECT_NEAR(uses[0].in_use, 0.97, 1e-12);
  EXPECT_NEAR(uses[0].busy, 840.0 / 2040, 1e-12);
}

// 940 ms are less than one period of NVML may last; another profiler's counters are not ours.
TEST(AnalyzeGpuUse, SaysNothingWhereNothingCanBeCompared) {
  Drawn shorter(10, 97), foreign(21, 97);
  EXPECT_TRUE(AnalyzeGpuUse(shorter.trace, shorter.devices).empty());
  foreign.trace.recorded.present = false;
  EXPECT_TRUE(AnalyzeGpuUse(foreign.trace, foreign.devices).empty());
  Drawn silent(21, 97);
  silent.trace.counters.clear();
  EXPECT_TRUE(AnalyzeGpuUse(silent.trace, silent.devices).empty());
}

}  // namespace
}  // namespace stepscope
