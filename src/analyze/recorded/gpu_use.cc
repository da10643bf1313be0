#include "analyze/recorded/gpu_use.h"

#include <fmt/format.h>

#include <string>

#include "trace/recorded_counters.h"

namespace stepscope {

std::vector<GpuUse> AnalyzeGpuUse(const Trace& trace, std::span<const DeviceBusy> devices) {
  constexpr DurationNs kLongestPeriod{1'000'000'000};
  std::vector<GpuUse> uses;
  if (!trace.recorded.present) return uses;
  for (const DeviceBusy& device : devices) {
    const Device& about = trace.devices[static_cast<size_t>(device.device)];
    const std::span<const Interval> work = device.busy.intervals();
    if (about.type != DeviceType::kGpu || work.empty()) continue;
    const Interval span{work.front().start, work.back().end};
    if (span.length() < kLongestPeriod) continue;
    GpuUse use{.device = about.index,
               .busy = static_cast<double>(device.busy.length().ns) /
                       static_cast<double>(span.length().ns)};
    const std::string series = fmt::format("GPU {}", about.index);
    for (const CounterSample& sample : trace.counters) {
      if (sample.time < span.start || sample.time >= span.end) continue;
      if (trace.strings[sample.name] != counters::kGpuInUse) continue;
      if (trace.strings[sample.series] != series) continue;
      use.in_use += sample.value / 100;
      ++use.samples;
    }
    if (use.samples == 0) continue;
    use.in_use /= static_cast<double>(use.samples);
    uses.push_back(use);
  }
  return uses;
}

}  // namespace stepscope
