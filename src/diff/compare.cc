#include <algorithm>
#include <cmath>
#include <set>

#include "diff/compare_findings.h"
#include "diff/compare_nodes.h"
#include "diff/diff.h"
#include "diff/environment.h"
#include "diff/judge.h"
#include "diff/statistics.h"
#include "diff/verdict.h"
#include "words/diff.h"

namespace stepscope::diff {
namespace {

constexpr SayFrom<kDiffTexts> Say;

constexpr int64_t kLeastMemory = 1 << 20;  // a change of fewer bytes is none

Judgement Judging(const Diff& diff, Evidence evidence) {
  return {.evidence = evidence, .single_run = diff.single_run, .steps = diff.unit == Unit::kStep};
}

// One value a step, run after run, or the median of each run.
template <typename Of>
std::vector<int64_t> SampleOf(const std::vector<Run>& runs, Unit unit, Of of) {
  std::vector<int64_t> sample;
  for (const Run& run : runs) {
    std::vector<int64_t> values;
    for (const RunStep& step : run.steps) values.push_back(of(run, step));
    if (values.empty()) continue;
    if (unit == Unit::kRun) {
      sample.push_back(MedianOf(std::move(values)));
    } else {
      sample.insert(sample.end(), values.begin(), values.end());
    }
  }
  return sample;
}

size_t PlaceOf(const Run& run, const std::string& device) {
  return static_cast<size_t>(std::find(run.devices.begin(), run.devices.end(), device) -
                             run.devices.begin());
}

class Metrics {
 public:
  explicit Metrics(Diff& diff) : diff_(diff) {}

  template <typename Of>
  void Add(std::string id, std::string unit, std::string device, Evidence evidence, Of of) {
    std::vector<int64_t> base = SampleOf(diff_.base, diff_.unit, of);
    std::vector<int64_t> now = SampleOf(diff_.now, diff_.unit, of);
    const auto is_zero = [](int64_t value) { return value == 0; };
    if (std::all_of(base.begin(), base.end(), is_zero) &&
        std::all_of(now.begin(), now.end(), is_zero)) {
      return;
    }
    Comparison compared =
        CompareSamples(std::move(base), std::move(now), Judging(diff_, evidence), diff_.settings);
    diff_.metrics.push_back({std::move(id), std::move(unit), std::move(device), compared});
  }

  template <typename Of>
  void AddOfDevice(std::string id, const std::string& device, Evidence evidence, Of of) {
    Add(std::move(id), "ns", device, evidence, [&](const Run& run, const RunStep& step) -> int64_t {
      const size_t at = PlaceOf(run, device);
      return at < step.devices.size() ? of(step.devices[at]) : 0;
    });
  }

 private:
  Diff& diff_;
};

void AddDeviceMetrics(const std::string& device, bool host_only, Metrics& metrics) {
  const Evidence work = host_only ? Evidence::kHost : Evidence::kDevice;
  metrics.AddOfDevice("device_work", device, work, [](const DeviceOfStep& d) { return d.work; });
  metrics.AddOfDevice("compute", device, work,
                      [](const DeviceOfStep& d) { return d.parts.compute; });
  metrics.AddOfDevice("exposed_communication", device, Evidence::kHost,
                      [](const DeviceOfStep& d) { return d.parts.exposed_communication; });
  metrics.AddOfDevice("exposed_copy", device, Evidence::kHost,
                      [](const DeviceOfStep& d) { return d.parts.exposed_copy; });
  metrics.AddOfDevice("exposed_memset", device, Evidence::kHost,
                      [](const DeviceOfStep& d) { return d.parts.exposed_memset; });
  metrics.AddOfDevice("idle", device, Evidence::kHost,
                      [](const DeviceOfStep& d) { return d.parts.idle; });
  for (size_t cause = 0; cause < kCauses; ++cause) {
    metrics.AddOfDevice("idle." + std::string(NameOf(static_cast<Cause>(cause))), device,
                        Evidence::kHost,
                        [cause](const DeviceOfStep& d) { return d.parts.idle_causes[cause]; });
  }
}

// Devices that both sides know: a time on one that the other does not record means nothing.
std::vector<std::string> DevicesOf(const Diff& diff) {
  const std::vector<std::string>& of_now = diff.now.front().devices;
  std::vector<std::string> devices;
  for (const std::string& device : diff.base.front().devices) {
    const bool wanted = diff.settings.device.empty() || device == diff.settings.device;
    const bool both = std::find(of_now.begin(), of_now.end(), device) != of_now.end();
    if (wanted && both) devices.push_back(device);
  }
  std::sort(devices.begin(), devices.end());
  return devices;
}

void AddMemory(Diff& diff) {
  std::vector<std::string> devices;
  for (const auto& [device, bytes] : diff.base.front().peak_memory) {
    if (diff.now.front().peak_memory.contains(device)) devices.push_back(device);
  }
  for (const std::string& device : devices) {
    const auto sample = [&](const std::vector<Run>& runs) {
      std::vector<int64_t> values;
      for (const Run& run : runs) {
        const auto at = run.peak_memory.find(device);
        if (at != run.peak_memory.end()) values.push_back(at->second);
      }
      return values;
    };
    Judgement judgement = Judging(diff, Evidence::kExact);
    judgement.least_change = kLeastMemory;
    Comparison compared =
        CompareSamples(sample(diff.base), sample(diff.now), judgement, diff.settings);
    compared.p.reset();
    diff.metrics.push_back({"peak_memory", "bytes", device, compared});
  }
}

void AddMetrics(Diff& diff) {
  Metrics metrics(diff);
  metrics.Add("step_time", "ns", "", Evidence::kHost,
              [](const Run&, const RunStep& step) { return step.duration; });
  const bool host_only = diff.base.front().host_only || diff.now.front().host_only;
  for (const std::string& device : DevicesOf(diff)) AddDeviceMetrics(device, host_only, metrics);
  if (diff.per_step_nodes) {
    metrics.Add("host_time", "ns", "", Evidence::kHost,
                [](const Run&, const RunStep& step) { return step.host; });
  }
  // A profile without devices (tfprof's) knows neither launches nor what input was waited for.
  if (diff.base.front().devices.empty() || diff.now.front().devices.empty()) return AddMemory(diff);
  metrics.Add("launches", "count", "", Evidence::kExact,
              [](const Run&, const RunStep& step) { return step.launches; });
  metrics.Add("input_wait", "ns", "", Evidence::kHost,
              [](const Run&, const RunStep& step) { return step.input_wait; });
  AddMemory(diff);
}

// The busiest device that both sides have.
std::string MainDevice(const Diff& diff) {
  if (!diff.settings.device.empty()) return diff.settings.device;
  for (const std::string& device : {diff.base.front().main_device, diff.now.front().main_device}) {
    const bool both = PlaceOf(diff.base.front(), device) < diff.base.front().devices.size() &&
                      PlaceOf(diff.now.front(), device) < diff.now.front().devices.size();
    if (both) return device;
  }
  return {};
}

// Only the medians of the step and of its parts count here, tested or not.
std::optional<Partition> PartitionOf(const Diff& diff) {
  const std::string device = MainDevice(diff);
  if (device.empty()) return std::nullopt;
  const auto delta = [&](auto of) {
    const auto median = [&](const std::vector<Run>& runs) -> int64_t {
      std::vector<int64_t> sample =
          SampleOf(runs, diff.unit, [&](const Run& run, const RunStep& step) -> int64_t {
            const size_t at = PlaceOf(run, device);
            return at < step.devices.size() ? of(step, step.devices[at].parts) : 0;
          });
      return sample.empty() ? 0 : MedianOf(std::move(sample));
    };
    return median(diff.now) - median(diff.base);
  };
  Partition parts;
  parts.device = device;
  parts.step = delta([](const RunStep& step, const Parts&) { return step.duration; });
  parts.compute = delta([](const RunStep&, const Parts& p) { return p.compute; });
  parts.exposed_communication =
      delta([](const RunStep&, const Parts& p) { return p.exposed_communication; });
  parts.exposed_copy = delta([](const RunStep&, const Parts& p) { return p.exposed_copy; });
  parts.exposed_memset = delta([](const RunStep&, const Parts& p) { return p.exposed_memset; });
  for (size_t cause = 0; cause < kCauses; ++cause) {
    const int64_t of_cause =
        delta([cause](const RunStep&, const Parts& p) { return p.idle_causes[cause]; });
    if (of_cause != 0) parts.idle_causes.push_back({static_cast<Cause>(cause), of_cause});
    parts.idle += of_cause;
  }
  std::stable_sort(
      parts.idle_causes.begin(), parts.idle_causes.end(),
      [](const auto& a, const auto& b) { return std::abs(a.delta) > std::abs(b.delta); });
  parts.residue = parts.step - parts.compute - parts.exposed_communication - parts.exposed_copy -
                  parts.exposed_memset - parts.idle;
  return parts;
}

// A report knows how long a device was busy in a step, not how long its work took: where the two
// differ (streams side by side), both sides have to be measured alike.
void UseBusyTime(std::vector<Run>& runs) {
  for (Run& run : runs) {
    for (RunStep& step : run.steps) {
      for (DeviceOfStep& device : step.devices) {
        const Parts& parts = device.parts;
        device.work = run.host_only ? 0
                                    : parts.compute + parts.exposed_communication +
                                          parts.exposed_copy + parts.exposed_memset;
      }
    }
  }
}

// A report's ranges include the ops inside of them, a trace's do not: only those that one side
// lacks can be compared.
void DropCommonRanges(std::vector<Run>& base, std::vector<Run>& now) {
  const auto names = [](const std::vector<Run>& runs) {
    std::set<std::string> found;
    for (const Run& run : runs) {
      for (const Atom& atom : run.atoms) {
        if (atom.kind == AtomKind::kRange) found.insert(atom.op);
      }
    }
    return found;
  };
  const std::set<std::string> of_base = names(base), of_now = names(now);
  for (auto* side : {&base, &now}) {
    for (Run& run : *side) {
      std::erase_if(run.atoms, [&](const Atom& atom) {
        const bool common = of_base.contains(atom.op) && of_now.contains(atom.op);
        return atom.kind == AtomKind::kCall || (atom.kind == AtomKind::kRange && common);
      });
    }
  }
}

bool KnowNodes(const std::vector<Run>& runs) {
  return std::all_of(runs.begin(), runs.end(), [](const Run& run) { return run.per_step_nodes; });
}

bool HaveSteps(const std::vector<Run>& runs) {
  return std::all_of(runs.begin(), runs.end(),
                     [](const Run& run) { return run.has_steps && !run.steps.empty(); });
}

void DropCopies(Diff& diff) {
  const size_t given = diff.base.size() + diff.now.size();
  diff.base = WithoutCopies(std::move(diff.base));
  diff.now = WithoutCopies(std::move(diff.now));
  const size_t copies = given - diff.base.size() - diff.now.size();
  if (copies > 0) diff.notes += Say("diff.copies", copies);
}

// Leaves out damaged runs where a side has others; true where it has none.
bool DropDamaged(std::vector<Run>& runs, Messages& notes) {
  const auto damaged = static_cast<size_t>(std::ranges::count_if(runs, &Run::damaged));
  if (damaged == 0 || damaged == runs.size()) return damaged > 0;
  std::erase_if(runs, [](const Run& run) { return run.damaged; });
  notes += Say("diff.damaged-left-out", damaged);
  return false;
}

}  // namespace

const Metric* Diff::Find(std::string_view id) const {
  const auto at = std::find_if(metrics.begin(), metrics.end(),
                               [&](const Metric& metric) { return metric.id == id; });
  return at == metrics.end() ? nullptr : &*at;
}

Diff Compare(std::vector<Run> base, std::vector<Run> now, const Settings& settings) {
  Diff diff;
  diff.base = std::move(base);
  diff.now = std::move(now);
  diff.settings = settings;
  DropCopies(diff);
  diff.base_damaged = DropDamaged(diff.base, diff.notes);
  diff.now_damaged = DropDamaged(diff.now, diff.notes);
  diff.single_run = diff.base.size() < 2 || diff.now.size() < 2;
  diff.unit = diff.single_run ? Unit::kStep : Unit::kRun;
  diff.per_step_nodes = KnowNodes(diff.base) && KnowNodes(diff.now);
  if (!diff.per_step_nodes) {
    UseBusyTime(diff.base);
    UseBusyTime(diff.now);
    DropCommonRanges(diff.base, diff.now);
    diff.notes += Say("diff.report-baseline");
  }
  CompareEnvironment(diff);
  const bool steps = HaveSteps(diff.base) && HaveSteps(diff.now);
  if (!steps) diff.unit = Unit::kCall;
  if (IsComparable(diff)) {
    if (steps) {
      AddMetrics(diff);
      diff.partition = PartitionOf(diff);
    } else {
      AddMemory(diff);
    }
    CompareNodes(diff);
    CompareFindings(diff);
  }
  for (auto* side : {&diff.base, &diff.now}) {
    for (Run& run : *side) std::vector<Atom>().swap(run.atoms);
  }
  GiveVerdict(diff);
  return diff;
}

}  // namespace stepscope::diff
