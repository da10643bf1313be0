#include <algorithm>
#include <array>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "advise/rule_tools.h"
#include "trace/recorded_counters.h"
#include "words/counter.h"

// Rules that read counters of a recording: clocks, CPU time, throttling. Profiles without counters
// leave them quiet.
namespace stepscope {
namespace {

constexpr SayFrom<kCounterTexts> Say;

struct Mean {
  double sum = 0;
  uint64_t count = 0;
  void Add(double value) {
    sum += value;
    ++count;
  }
  double value() const { return count == 0 ? 0 : sum / static_cast<double>(count); }
};

std::vector<const CounterSample*> SamplesOf(const Evidence& e, std::string_view name) {
  std::vector<const CounterSample*> samples;
  if (!e.trace.recorded.present) return samples;  // other profiles have counters by the million
  for (const CounterSample& sample : e.trace.counters) {
    if (e.Name(sample.name) == name) samples.push_back(&sample);
  }
  return samples;
}

// Means of a counter by series.
std::map<std::string_view, Mean> MeansOf(const Evidence& e, std::string_view name) {
  std::map<std::string_view, Mean> means;
  for (const CounterSample* sample : SamplesOf(e, name)) {
    means[e.Name(sample->series)].Add(sample->value);
  }
  return means;
}

struct HeldDown {
  std::string_view gpu;
  Message reason;
  double share = 0;  // of the samples
  double clock = 0, highest = 0;
};

// The GPU that was held down most, and its mean clock while it was.
std::optional<HeldDown> FindHeldDown(const Evidence& e) {
  const std::array reasons{
      std::pair{counters::kHeldByPower, Say("gpu-clock-held-down.power")},
      std::pair{counters::kHeldByHeat, Say("gpu-clock-held-down.heat")},
      std::pair{counters::kHeldBySetting, Say("gpu-clock-held-down.setting")},
      std::pair{counters::kHeldByHardware, Say("gpu-clock-held-down.hardware")}};
  std::optional<HeldDown> worst;
  for (const auto& [counter, reason] : reasons) {
    std::map<std::string_view, std::pair<uint64_t, uint64_t>> held;  // samples, all
    std::map<std::pair<std::string_view, int64_t>, bool> when;
    for (const CounterSample* sample : SamplesOf(e, counter)) {
      auto& [down, all] = held[e.Name(sample->series)];
      ++all;
      down += sample->value > 0 ? 1 : 0;
      if (sample->value > 0) when[{e.Name(sample->series), sample->time.ns}] = true;
    }
    for (const auto& [gpu, counts] : held) {
      const double share = static_cast<double>(counts.first) / static_cast<double>(counts.second);
      if (counts.first == 0 || (worst && share <= worst->share)) continue;
      Mean clock;
      for (const CounterSample* sample : SamplesOf(e, counters::kGpuClock)) {
        if (when.contains({e.Name(sample->series), sample->time.ns})) clock.Add(sample->value);
      }
      const auto highest = MeansOf(e, counters::kGpuHighestClock);
      const auto at = highest.find(gpu);
      if (clock.count == 0 || at == highest.end()) continue;
      worst = HeldDown{gpu, reason, share, clock.value(), at->second.value()};
    }
  }
  return worst;
}

RuleVerdict GpuClockHeldDown(const Evidence& e) {
  const std::optional<HeldDown> held = FindHeldDown(e);
  if (!held || held->highest <= 0) return Quiet{};
  const double lost = 1 - held->clock / held->highest;
  if (held->share < e.limits[Limit::kClockHeldShare] || lost < e.limits[Limit::kClockLost]) {
    return Quiet{};
  }
  Fires fires;
  fires.title = Say("gpu-clock-held-down.title", static_cast<int64_t>(held->clock),
                    static_cast<int64_t>(held->highest), held->reason);
  fires.sentence = Say("gpu-clock-held-down.because", held->share);
  // At most all that the device does gets faster by the clock.
  fires.saving_hi = {static_cast<int64_t>(static_cast<double>(e.busy_time().ns) * lost)};
  fires.at_most = FindingSeverity::kMedium;
  fires.confidence = Confidence::kMedium;
  return fires;
}

RuleVerdict ThreadWaitedForCpu(const Evidence& e) {
  const auto waits = MeansOf(e, counters::kThreadWaiting);
  // A thread has no sample for the time that it sleeps through: shares are of the longest-lived
  // one's samples, so that one busy moment of a thread that sleeps is not taken for all of the run.
  uint64_t samples = 1;
  for (const auto& [thread, wait] : waits) samples = std::max(samples, wait.count);
  std::string_view worst;
  double most = 0;
  for (const auto& [thread, wait] : waits) {
    const double mean = wait.sum / static_cast<double>(samples);
    if (mean <= most) continue;
    most = mean;
    worst = thread;
  }
  if (most / 100 < e.limits[Limit::kCpuWaitShare]) return Quiet{};
  Fires fires;
  fires.gate = true;  // only a measurement tells what another core would bring
  fires.title = Say("thread-waited-for-cpu.title", std::string(worst), most / 100);
  fires.sentence = Say("thread-waited-for-cpu.because");
  fires.at_most = InputBound(e) ? FindingSeverity::kHigh : FindingSeverity::kMedium;
  fires.confidence = Confidence::kHigh;
  return fires;
}

RuleVerdict ContainerThrottled(const Evidence& e) {
  Mean throttled;
  for (const CounterSample* sample : SamplesOf(e, counters::kContainerThrottled)) {
    throttled.Add(sample->value);
  }
  const double share = throttled.value() / 100;
  if (share < e.limits[Limit::kThrottledShare]) return Quiet{};
  Fires fires;
  fires.gate = true;
  fires.title = Say("container-throttled.title", share);
  fires.sentence = Say("container-throttled.because");
  constexpr double kMuch = 0.2;
  fires.at_most = share >= kMuch ? FindingSeverity::kHigh : FindingSeverity::kMedium;
  fires.confidence = Confidence::kHigh;
  return fires;
}

constexpr std::array kRules{
    Rule{"gpu-clock-held-down", RuleGroup::kOther, "", GpuClockHeldDown},
    Rule{"thread-waited-for-cpu", RuleGroup::kCpu, "", ThreadWaitedForCpu},
    Rule{"container-throttled", RuleGroup::kCpu, "", ContainerThrottled},
};

}  // namespace

std::span<const Rule> CounterRules() { return kRules; }

}  // namespace stepscope
