#include "ranks/digest_trace.h"

#include <algorithm>
#include <unordered_map>

#include "analyze/breakdown/device_sets.h"
#include "analyze/host_spans.h"
#include "analyze/verdict/verdict.h"
#include "base/event_loss.h"
#include "base/task_pool.h"
#include "ranks/rank_calls.h"

namespace stepscope {
namespace {

// Names kept of kernels and regions: enough to compare ranks, few enough to keep of thousands.
constexpr size_t kMostNames = 512;

// The device that works most, or -1 where the host is the only one.
int32_t BusiestDevice(const LinkedTrace& linked, const Report& report) {
  if (linked.host_device) return -1;
  int32_t best = -1;
  DurationNs most{-1};
  for (const DeviceTimeline& timeline : report.device_timeline) {
    if (timeline.all.busy > most) {
      most = timeline.all.busy;
      best = timeline.device;
    }
  }
  return best;
}

void AddFacts(const Trace& trace, int32_t device, RankDigest& digest) {
  const RunFacts& facts = trace.facts;
  digest.path = trace.path;
  digest.format = facts.format;
  digest.framework = facts.framework;
  digest.host = facts.host;
  digest.rank = facts.rank;
  digest.world_size = facts.world_size;
  digest.epoch_ns = facts.start_unix_ns.value_or(0);
  digest.span = trace.span;
  digest.communicates = std::ranges::any_of(
      trace.traits, [](const NameTraits& traits) { return traits.communication; });
  if (device >= 0) digest.device = trace.devices[static_cast<size_t>(device)].name;
}

IntervalSet WorkOf(const LinkedTrace& linked, int32_t device, auto wanted) {
  std::vector<Interval> intervals;
  if (device < 0) return {};
  for (const Work& work : linked.work.Of(device)) {
    if (wanted(work.work_class)) intervals.push_back(work.interval());
  }
  return IntervalSet::OfSorted(intervals);
}

IntervalSet InputWaits(const Report& report, int32_t device) {
  std::vector<Interval> waits;
  for (const IdleGaps& gaps : report.idle_gaps) {
    if (device >= 0 && gaps.device != device) continue;
    for (size_t i = 0; i < gaps.start.size(); ++i) {
      if (gaps.cause[i] == Cause::kInput) {
        waits.push_back({gaps.start[i], gaps.start[i] + gaps.duration[i]});
      }
    }
  }
  return IntervalSet::Of(std::move(waits));
}

void AddSets(const LinkedTrace& linked, const Report& report, int32_t device, RankDigest& digest) {
  if (device >= 0) {
    digest.compute =
        WorkOf(linked, device, [](WorkClass work) { return work == WorkClass::kCompute; });
  } else {
    TaskPool alone(1);
    digest.compute = HostSets(linked.trace, linked.links, linked.threads, alone).compute;
  }
  std::vector<Interval> calls;
  for (const RankCall& call : digest.calls) calls.push_back({call.start, call.end});
  const IntervalSet communication = IntervalSet::OfSorted(calls);
  digest.exposed = communication.Subtract(digest.compute);
  const IntervalSet busy = communication.Union(digest.compute);
  digest.copy = WorkOf(linked, device, [](WorkClass work) {
                  return work == WorkClass::kCopy || work == WorkClass::kMemset;
                }).Subtract(busy);
  digest.input = InputWaits(report, device).Subtract(busy.Union(digest.copy));
}

// Adds to each step the part of the set that is in it. Steps are in order: O(steps + intervals).
void AddLengths(const IntervalSet& set, DurationNs RankStep::* part, std::vector<RankStep>& steps) {
  const auto intervals = set.intervals();
  size_t at = 0;
  for (RankStep& step : steps) {
    while (at < intervals.size() && intervals[at].end <= step.start) ++at;
    for (size_t i = at; i < intervals.size() && intervals[i].start < step.end; ++i) {
      step.*part += std::min(intervals[i].end, step.end) - std::max(intervals[i].start, step.start);
    }
  }
}

void AddSteps(const LinkedTrace& linked, const Report& report, int32_t device, RankDigest& digest) {
  const Steps& steps = linked.steps;
  digest.numbered = steps.source == StepSource::kProfilerStep ||
                    steps.source == StepSource::kStepTraceAnnotation ||
                    steps.source == StepSource::kTfProfilerTrace;
  for (size_t s = 0; s < steps.items.size(); ++s) {
    const Step& step = steps.items[s];
    RankStep& row = digest.steps.emplace_back();
    row.number = step.number;
    row.start = step.start;
    row.end = step.end();
    row.used = step.used();
    if (s >= report.breakdown.size()) continue;
    for (const DeviceStep& part : report.breakdown[s].devices) {
      if (device < 0 || part.device == device) row.idle_causes = part.idle_causes;
    }
  }
  AddLengths(digest.compute, &RankStep::compute, digest.steps);
  AddLengths(digest.exposed, &RankStep::exposed, digest.steps);
  AddLengths(digest.copy, &RankStep::copy, digest.steps);
  AddLengths(digest.input, &RankStep::input, digest.steps);
  for (RankStep& step : digest.steps) {
    step.idle = step.end - step.start - step.compute - step.exposed - step.copy - step.input;
  }
}

bool InUsedStep(const Steps& steps, uint32_t row) {
  if (steps.items.empty()) return true;
  const uint32_t step = row < steps.step_of_device.size() ? steps.step_of_device[row] : kNoRow;
  return step != kNoRow && steps.items[step].used();
}

template <typename Row>
void KeepLargest(std::vector<Row>& rows) {
  std::ranges::sort(rows, [](const Row& a, const Row& b) {
    return std::tie(b.total, a.name) < std::tie(a.total, b.name);
  });
  if (rows.size() > kMostNames) rows.resize(kMostNames);
  rows.shrink_to_fit();
}

void AddDeviceWork(const LinkedTrace& linked, int32_t device, RankDigest& digest) {
  const Trace& trace = linked.trace;
  std::unordered_map<uint32_t, size_t> of_name;
  for (const Work& work : linked.work.Of(device)) {
    if (work.row == kNoRow || !InUsedStep(linked.steps, work.row)) continue;
    const DeviceArgs& args = trace.device_args[work.row];
    if (work.work_class == WorkClass::kCopy && args.bytes > 0 &&
        trace.Name(work.slice).find("HtoD") != std::string_view::npos) {
      digest.copied_bytes += static_cast<uint64_t>(args.bytes);
    }
    if (work.work_class != WorkClass::kCompute) continue;
    const StringId name = trace.slices.name[work.slice];
    const auto [at, is_new] = of_name.try_emplace(Index(name), digest.work.size());
    if (is_new) digest.work.push_back({.name = std::string(trace.strings[name])});
    WorkTotal& total = digest.work[at->second];
    ++total.calls;
    total.total += work.end - work.start;
    total.blocks += uint64_t{args.grid[0]} * args.grid[1] * args.grid[2];
  }
}

void AddWork(const LinkedTrace& linked, const Report& report, int32_t device, RankDigest& digest) {
  if (device >= 0) {
    AddDeviceWork(linked, device, digest);
  } else {
    for (const OpRow& op : report.ops) {
      if (op.kind != Kind::kOp || linked.trace.traits[Index(op.name)].communication) continue;
      digest.work.push_back({.name = std::string(linked.trace.strings[op.name]),
                             .calls = op.calls,
                             .total = op.host_self});
    }
  }
  KeepLargest(digest.work);
  for (const OpRow& op : report.ops_by_shape) {
    const int64_t elements = ElementsOf(linked.trace.strings[op.input_dims]);
    if (elements > 0) {
      digest.input_elements += static_cast<double>(elements) * static_cast<double>(op.calls);
    }
  }
}

// Regions of the thread that runs the loop.
void AddRegions(const LinkedTrace& linked, RankDigest& digest) {
  if (linked.main_thread == kNoRow) return;
  const Trace& trace = linked.trace;
  std::unordered_map<uint32_t, size_t> of_name;
  for (const uint32_t lane : linked.threads.LanesOf(linked.main_thread)) {
    const RowRange rows = trace.tracks[lane].slices;
    size_t step = 0;
    for (uint32_t slice = rows.first; slice < rows.last; ++slice) {
      const Kind kind = trace.slices.kind[slice];
      if (kind != Kind::kAnnotation && kind != Kind::kInput) continue;
      const TimeNs start = trace.slices.start[slice];
      while (step < digest.steps.size() && digest.steps[step].end <= start) ++step;
      if (!digest.steps.empty()) {
        if (step == digest.steps.size()) break;
        if (!digest.steps[step].used || digest.steps[step].start > start) continue;
      }
      const StringId name = trace.slices.name[slice];
      const auto [at, is_new] = of_name.try_emplace(Index(name), digest.regions.size());
      if (is_new) {
        digest.regions.push_back(
            {.name = std::string(trace.strings[name]), .input = IsInputSpan(trace, slice)});
      }
      digest.regions[at->second].total += trace.slices.duration[slice];
    }
  }
  KeepLargest(digest.regions);
}

}  // namespace

RankDigest FactsOf(const Trace& trace) {
  RankDigest digest;
  AddFacts(trace, -1, digest);
  digest.groups = DeclaredGroups(trace.facts);
  return digest;
}

RankDigest DigestOf(const LinkedTrace& linked, const Report& report) {
  RankDigest digest;
  const int32_t device = BusiestDevice(linked, report);
  AddFacts(linked.trace, device, digest);
  AddCalls(linked, device, digest);
  AddSets(linked, report, device, digest);
  AddSteps(linked, report, device, digest);
  AddWork(linked, report, device, digest);
  AddRegions(linked, digest);
  digest.bound_by = NameOf(report.verdict.bound_by);
  digest.median_step = report.step_statistics.median;
  digest.cut = std::ranges::any_of(report.quality.entries(), [](const Diagnostics::Entry& entry) {
    return LosesEvents(entry.code);
  });
  digest.warnings = static_cast<uint64_t>(std::ranges::count_if(
      report.quality.entries(),
      [](const Diagnostics::Entry& entry) { return SeverityOf(entry.code) != Severity::kInfo; }));
  return digest;
}

}  // namespace stepscope
