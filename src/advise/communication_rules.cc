#include <algorithm>
#include <array>
#include <cmath>

#include "advise/graph_facts.h"
#include "advise/hardware.h"
#include "advise/rule_tools.h"
#include "words/communication.h"

// Rules for several devices or ranks: exposed transfers, and which rank waits for which.
namespace stepscope {
namespace {

constexpr SayFrom<kCommunicationTexts> Say;

// Collectives of a trace inside its used steps, in order of start: kernels where there are any,
// host ops elsewhere.
std::vector<uint32_t> CollectivesOf(const LinkedTrace& linked) {
  const Trace& trace = linked.trace;
  const std::vector<Step>& steps = linked.steps.items;
  std::vector<uint32_t> found;
  if (std::none_of(trace.traits.begin(), trace.traits.end(),
                   [](const NameTraits& traits) { return traits.communication; })) {
    return found;
  }
  const auto in_step = [&](TimeNs time) {
    return std::any_of(steps.begin(), steps.end(), [&](const Step& step) {
      return step.used() && time >= step.start && time < step.end();
    });
  };
  for (const Kind kind : {Kind::kCollective, Kind::kOp, Kind::kAnnotation}) {
    for (uint32_t s = 0; s < trace.slices.size(); ++s) {
      if (trace.slices.kind[s] != kind || !trace.Traits(s).communication) continue;
      if (in_step(trace.slices.start[s])) found.push_back(s);
    }
    if (!found.empty()) break;
  }
  std::sort(found.begin(), found.end(), [&](uint32_t a, uint32_t b) {
    return std::pair(trace.slices.start[a], a) < std::pair(trace.slices.start[b], b);
  });
  return found;
}

// How long each rank waits for the last one in its collectives, per step; clocks are aligned by the
// common ends.
struct Waits {
  std::vector<DurationNs> per_rank;  // mean a step
  std::vector<double> last_share;    // how often each rank arrives last
  std::vector<DurationNs> blamed;    // how long the others waited where this rank was last
  DurationNs all{};                  // sum of `blamed`
  DurationNs shortest_step{};        // of the rank that waits most
  uint64_t collectives = 0;
  size_t longest = 0;  // collective in which a rank waits longest
};

// By used step: how long the rank waits in it, without counting twice what overlaps.
std::vector<DurationNs> WaitsByStep(const RankCollectives& rank,
                                    std::span<const DurationNs> waits) {
  std::vector<Interval> waiting;
  for (size_t i = 0; i < waits.size(); ++i) {
    const TimeNs start = rank.calls[i].start;
    if (waits[i].ns > 0) waiting.push_back({start, start + waits[i]});
  }
  const IntervalSet all = IntervalSet::Of(std::move(waiting));
  std::vector<DurationNs> by_step;
  for (const Interval& step : rank.steps) by_step.push_back(all.Clip(step).length());
  return by_step;
}

Waits WaitsOf(const Evidence& e) {
  const std::vector<const RankCollectives*>& ranks = e.ranks;
  Waits waits;
  size_t common = SIZE_MAX;
  for (const RankCollectives* rank : ranks) common = std::min(common, rank->calls.size());
  waits.per_rank.resize(ranks.size());
  waits.last_share.resize(ranks.size());
  waits.blamed.resize(ranks.size());
  if (common == 0 || common == SIZE_MAX || e.step_count() == 0) return waits;
  waits.collectives = common;
  DurationNs longest{};
  std::vector<std::vector<DurationNs>> waited(ranks.size());
  for (size_t i = 0; i < common; ++i) {
    // All ranks leave a collective at the same moment, so durations show which came last.
    std::vector<DurationNs> inside;
    for (const RankCollectives* rank : ranks) inside.push_back(rank->calls[i].duration);
    const auto last = std::min_element(inside.begin(), inside.end());
    const auto late = static_cast<size_t>(last - inside.begin());
    for (size_t r = 0; r < ranks.size(); ++r) {
      const DurationNs wait = inside[r] - *last;
      waited[r].push_back(wait);
      waits.blamed[late] += wait;
      waits.all += wait;
      if (wait > longest) {
        longest = wait;
        waits.longest = i;
      }
    }
    waits.last_share[late] += 1;
  }
  for (size_t r = 0; r < ranks.size(); ++r) {
    const std::vector<DurationNs> by_step = WaitsByStep(*ranks[r], waited[r]);
    if (by_step.empty()) continue;
    DurationNs sum{};
    for (const DurationNs wait : by_step) sum += wait;
    waits.per_rank[r] = {sum.ns / static_cast<int64_t>(by_step.size())};
    waits.last_share[r] /= static_cast<double>(common);
    if (waits.per_rank[r] < *std::max_element(waits.per_rank.begin(), waits.per_rank.end())) {
      continue;
    }
    waits.shortest_step = *std::min_element(by_step.begin(), by_step.end());
  }
  return waits;
}

// Collectives that run on the host (gloo, MPI), inside used steps.
std::vector<StepSpan> HostCollectives(const Evidence& e) {
  std::vector<StepSpan> spans;
  for (const uint32_t slice : CollectivesOf(e.linked)) {
    for (uint32_t w = 0; w < e.step_count(); ++w) {
      const Interval time = e.windows()[w].time;
      if (e.trace.slices.start[slice] >= time.start && e.trace.slices.start[slice] < time.end)
        spans.push_back({slice, w});
    }
  }
  return spans;
}

// The part of collectives on the host during which nothing computes: kernels on a device, or ops of
// other threads on a CPU.
DurationNs ExposedOnHost(const Evidence& e, std::span<const StepSpan> spans) {
  std::vector<Interval> collectives;
  for (const StepSpan& span : spans) {
    collectives.push_back({e.trace.slices.start[span.slice], e.trace.slices.end(span.slice)});
  }
  const IntervalSet time = IntervalSet::Of(std::move(collectives));
  if (e.has_device_work()) return e.PerStep(time.Subtract(e.compute()));
  std::vector<Interval> ops;
  for (const Track& track : e.trace.tracks) {
    if (track.kind != TrackKind::kThread) continue;
    for (uint32_t s = track.slices.first; s < track.slices.last; ++s) {
      if (e.trace.slices.kind[s] == Kind::kOp && !e.trace.Traits(s).communication &&
          !e.trace.Traits(s).wait_communication && e.trace.slices.name[s] != kEmptyString) {
        ops.push_back({e.trace.slices.start[s], e.trace.slices.end(s)});
      }
    }
  }
  return e.PerStep(time.Subtract(IntervalSet::Of(std::move(ops))));
}

RuleVerdict CommExposed(const Evidence& e) {
  std::vector<StepSpan> spans(e.collectives().begin(), e.collectives().end());
  const bool on_host = spans.empty();
  if (on_host) spans = HostCollectives(e);
  if (spans.empty()) return Quiet{};
  const DurationNs exposed = on_host ? ExposedOnHost(e, spans) : e.Exposed(spans);
  // Waiting for a late rank is no transfer and cannot be hidden.
  DurationNs wait{};
  if (e.ranks.size() > 1) {
    wait = std::min(WaitsOf(e).per_rank[e.own_rank], exposed);
  }
  if (e.Share(exposed - wait) < e.limits[Limit::kCommunicationModerate]) return Quiet{};
  Fires fires;
  fires.title = Say("comm-exposed.title", OfEachStep(e, exposed));
  fires.sentence =
      e.ranks.size() > 1 ? Say("comm-exposed.because", wait) : Say("comm-exposed.one-rank");
  fires.saving_hi = exposed - wait;
  fires.as_recorded = true;
  // Hidden behind compute or made half as often. One rank alone may have waited for another.
  if (e.ranks.size() > 1) {
    fires.lo_at_least = DurationNs{(exposed - wait).ns / 2};
    fires.saving_note = Say("comm-exposed.note");
  }
  fires.device_goes = TimeOf(e, e.collectives());
  fires.confidence = e.ranks.size() > 1 ? Confidence::kHigh : Confidence::kMedium;
  // All of it may be waiting for a rank whose file was not given.
  if (e.ranks.size() < 2) fires.at_most = FindingSeverity::kMedium;
  fires.evidence = e.Longest(spans);
  return fires;
}

RuleVerdict CollectiveBandwidth(const Evidence& e) {
  if (e.collectives().empty()) return Quiet{};
  if (e.ranks.size() < 2) return NeedsRanks();
  if (e.job == nullptr || !e.job->bus_gb_per_s) {
    return CannotTell{Say("collective-below-bandwidth.needs")};
  }
  double bytes = 0;
  DurationNs time{};
  uint64_t small = 0;
  for (const StepSpan& span : e.collectives()) {
    const uint32_t row = e.trace.DeviceOf(span.slice).collective;
    if (row == kNoRow || e.trace.collectives[row].bytes < 0) continue;
    const CollectiveArgs& args = e.trace.collectives[row];
    const double n = std::max(args.group_size, 2);
    // The share of a message that the bus carries, as nccl-tests counts it.
    const NameTags tags =
        args.name == kEmptyString ? e.TagsOfSpan(span) : TagsOf(e.Name(args.name));
    const double factor = Has(tags, NameTag::kAllReduce)        ? 2 * (n - 1) / n
                          : Has(tags, NameTag::kPartOfEachRank) ? (n - 1) / n
                                                                : 1;
    bytes += static_cast<double>(args.bytes) * factor;
    time += e.trace.slices.duration[span.slice];
    small += args.bytes < (1 << 20) ? 1 : 0;
  }
  const DurationNs wait{WaitsOf(e).per_rank[e.own_rank].ns * e.step_count()};
  if (time.ns == 0) return CannotTell{Say("collective-below-bandwidth.needs-sizes")};
  const double seconds = static_cast<double>(std::max(time - wait, DurationNs{1}).ns) / 1e9;
  const double rate = bytes / seconds / 1e9;
  const double reference = *e.job->bus_gb_per_s;
  if (bytes == 0) return CannotTell{Say("collective-below-bandwidth.needs-sizes")};
  if (rate >= e.limits[Limit::kBusBandwidth] * reference) return Quiet{};
  Fires fires;
  fires.title = Say("collective-below-bandwidth.title", rate, reference);
  fires.sentence = Say("collective-below-bandwidth.because", small, e.collectives().size());
  fires.saving_hi =
      e.PerStep(DurationNs{static_cast<int64_t>((seconds - bytes / reference / 1e9) * 1e9)});
  fires.confidence = Confidence::kMedium;
  fires.evidence = e.Longest(e.collectives());
  return fires;
}

RuleVerdict Straggler(const Evidence& e) {
  if (e.ranks.size() < 2) {
    return e.collectives().empty() && !e.report.communication ? RuleVerdict{Quiet{}}
                                                              : RuleVerdict{NeedsRanks()};
  }
  const Waits waits = WaitsOf(e);
  if (waits.collectives == 0) return Quiet{};
  DurationNs mean{};
  for (const DurationNs wait : waits.per_rank) mean += wait;
  mean.ns /= static_cast<int64_t>(waits.per_rank.size());
  const auto least = std::min_element(waits.per_rank.begin(), waits.per_rank.end());
  const auto slow = static_cast<size_t>(least - waits.per_rank.begin());
  // If ranks take turns in being last, that is noise, not a straggler: the one that waits least
  // makes the others wait, weighed by how long.
  DurationNs most{};
  for (const DurationNs wait : waits.per_rank) most = std::max(most, wait);
  if (e.Share(mean) < e.limits[Limit::kStragglerWait] || waits.blamed[slow].ns * 2 < waits.all.ns) {
    return Quiet{};
  }
  const int64_t rank = e.ranks[slow]->rank.value_or(static_cast<int64_t>(slow));
  DurationNs others{};
  for (const DurationNs wait : waits.per_rank) others += wait;
  others.ns = (others - *least).ns / static_cast<int64_t>(waits.per_rank.size() - 1);
  Fires fires;
  fires.title =
      Say("straggler-or-imbalance.title", rank, waits.last_share[slow], waits.collectives, others);
  fires.sentence = Say("straggler-or-imbalance.because");
  // The late rank is as fast as the others: what they wait for it goes. A step saves what they wait
  // on average; how much the steps differ says how sure that is.
  fires.saving_hi = most;
  fires.lo_at_least = std::min(most, waits.shortest_step);
  fires.as_recorded = true;
  fires.device_goes = TimeOf(e, e.collectives());
  const RankCollectives::Call& longest = e.ranks[e.own_rank]->calls[waits.longest];
  fires.evidence.push_back({.device = {},
                            .rank = e.trace.facts.rank,
                            .step = std::nullopt,
                            .start = longest.start,
                            .length = longest.duration,
                            .events = {longest.event}});
  return fires;
}

RuleVerdict ParallelWrapper(const Evidence& e) {
  Fires fires;
  fires.at_most = FindingSeverity::kMedium;
  std::vector<StepSpan> spans = Outermost(e, e.HostSpans(NameTag::kDataParallel));
  std::erase_if(spans, [&](const StepSpan& span) {
    return Has(e.TagsOfSpan(span), NameTag::kDistributedData);
  });
  if (!spans.empty() && e.trace.devices.size() > 1) {
    fires.title = Say("parallel-wrapper-costly.title", OfEachStep(e, ExposedHost(e, spans)));
    fires.sentence = Say("parallel-wrapper-costly.because");
    fires.saving_hi = ExposedHost(e, spans);
    fires.changes = ChangesOf(spans, ChangeType::kRemove);
    fires.at_most = FindingSeverity::kHigh;
    fires.evidence = e.Longest(spans);
    return fires;
  }
  fires.gate = true;
  const bool gloo_on_gpu =
      e.has_device_work() && e.Occurs(NameTag::kGloo) && e.collectives().empty();
  if (gloo_on_gpu) {
    fires.title = Say("parallel-wrapper-costly.gloo");
    fires.sentence = Say("parallel-wrapper-costly.gloo.because");
    return fires;
  }
  if (e.log != nullptr && !e.log->unused_parameters.empty()) {
    fires.title = Say("parallel-wrapper-costly.unused");
    fires.sentence = Verbatim(e.log->unused_parameters.front());
    fires.at_most = FindingSeverity::kLow;
    return fires;
  }
  const double sync_norms =
      static_cast<double>(e.Sum(NameTag::kSyncBatchNorm).calls) / e.step_count();
  if (sync_norms > e.limits[Limit::kSyncBatchNorms]) {
    fires.title = Say("parallel-wrapper-costly.norms", CountedInStep(e, sync_norms));
    fires.sentence = Say("parallel-wrapper-costly.norms.because");
    return fires;
  }
  return Quiet{};
}

RuleVerdict VariablePlacement(const Evidence& e) {
  if (e.framework != Framework::kTensorFlow) return Quiet{};
  if (e.graph == nullptr)
    return e.trace.facts.format == Format::kRunMetadata ? RuleVerdict{NeedsGraph()}
                                                        : RuleVerdict{Quiet{}};
  const std::vector<stepscope::VariablePlacement> placed = VariableBytes(*e.graph);
  if (placed.empty()) return Quiet{};
  std::vector<StepSpan> transfers = e.HostSpans(NameTag::kSend);
  for (const StepSpan& span : e.HostSpans(NameTag::kReceive)) transfers.push_back(span);
  const DurationNs exposed = ExposedHost(e, transfers);
  int64_t total = 0;
  for (const stepscope::VariablePlacement& row : placed) total += row.bytes;
  const double largest =
      total == 0 ? 0 : static_cast<double>(placed.front().bytes) / static_cast<double>(total);
  const double fair = 1.0 / static_cast<double>(std::max<size_t>(placed.size(), 1));
  const size_t compute_devices = ComputeDevices(*e.graph);
  const bool one_device = placed.size() == 1 && compute_devices > 1;
  const bool uneven = placed.size() > 1 && largest > fair + e.limits[Limit::kVariableImbalance];
  if (!one_device && !uneven && e.Share(exposed) < e.limits[Limit::kVariableTraffic])
    return Quiet{};
  if (!one_device && !uneven) return Quiet{};
  Fires fires;
  fires.title = one_device ? Say("variable-placement.one", static_cast<double>(total) / 1e6,
                                 placed.front().device, compute_devices)
                           : Say("variable-placement.title", placed.front().device, largest);
  fires.sentence = exposed.ns > 0 ? Say("variable-placement.because", OfEachStep(e, exposed))
                                  : Say("variable-placement.unseen");
  fires.sentence += Say("variable-placement.where");
  fires.saving_hi = exposed;
  fires.gate = e.Share(exposed) < e.limits[Limit::kWorthSaying];
  fires.at_most = FindingSeverity::kMedium;
  fires.confidence = Confidence::kMedium;
  fires.evidence = e.Longest(transfers);
  return fires;
}

RuleVerdict MovingAverageStall(const Evidence& e) {
  if (e.framework != Framework::kTensorFlow) return Quiet{};
  if (e.graph == nullptr)
    return e.trace.facts.format == Format::kRunMetadata ? RuleVerdict{NeedsGraph()}
                                                        : RuleVerdict{Quiet{}};
  const std::vector<std::string> averages = TowerMovingAverages(*e.graph);
  if (averages.empty()) return Quiet{};
  const std::vector<StepSpan> spans = e.HostSpans(NameTag::kMovingAverage);
  const DurationNs exposed = ExposedHost(e, spans);
  // Reads that nothing waits for cost nothing.
  if (!spans.empty() && e.Share(exposed) < e.limits[Limit::kMovingAverageShare]) return Quiet{};
  Fires fires;
  fires.title = Say("bn-moving-average-stall.title", averages.size());
  fires.sentence = Say("bn-moving-average-stall.because", averages.front());
  fires.saving_hi = exposed;
  fires.gate = e.Share(exposed) < e.limits[Limit::kMovingAverageShare];
  fires.at_most = FindingSeverity::kMedium;
  fires.evidence = e.Longest(spans);
  return fires;
}

RuleVerdict IdleVisibleGpu(const Evidence& e) {
  std::vector<std::string> idle;
  size_t gpus = 0;
  for (size_t d = 0; d < e.trace.devices.size(); ++d) {
    const Device& device = e.trace.devices[d];
    if (device.type != DeviceType::kGpu) continue;
    ++gpus;
    DurationNs busy{};
    for (const DeviceTimeline& timeline : e.report.device_timeline) {
      if (timeline.device == static_cast<int32_t>(d)) busy = timeline.all.busy;
    }
    const double share = e.trace.span.ns == 0
                             ? 0
                             : static_cast<double>(busy.ns) / static_cast<double>(e.trace.span.ns);
    if (share < e.limits[Limit::kIdleDevice]) idle.push_back(DeviceIdOf(device.type, device.index));
  }
  // One rank uses one device of its host: only a single-process job can waste the others.
  const bool one_of_many = e.trace.facts.world_size.value_or(1) > 1;
  if (!e.has_device_work() || idle.empty() || idle.size() == gpus || one_of_many) return Quiet{};
  Fires fires;
  fires.gate = true;
  fires.at_most = FindingSeverity::kLow;
  fires.title = Say("idle-visible-gpu.title", idle.size(), gpus, idle.front());
  fires.sentence = Say("idle-visible-gpu.because");
  return fires;
}

constexpr std::array kRules{
    Rule{"comm-exposed", RuleGroup::kCommunication, "", CommExposed, Role::kSymptom},
    Rule{"collective-below-bandwidth", RuleGroup::kCommunication, "comm-exposed",
         CollectiveBandwidth},
    Rule{"straggler-or-imbalance", RuleGroup::kCommunication, "", Straggler},
    Rule{"parallel-wrapper-costly", RuleGroup::kCommunication, "", ParallelWrapper},
    Rule{"variable-placement", RuleGroup::kCommunication, "", VariablePlacement},
    Rule{"bn-moving-average-stall", RuleGroup::kCommunication, "", MovingAverageStall},
    Rule{"idle-visible-gpu", RuleGroup::kCommunication, "", IdleVisibleGpu},
};

}  // namespace

RankCollectives CollectivesOfRank(const LinkedTrace& linked) {
  const Trace& trace = linked.trace;
  RankCollectives rank{trace.facts.rank, {}, {}};
  for (const uint32_t slice : CollectivesOf(linked)) {
    rank.calls.push_back(
        {trace.slices.start[slice], trace.slices.duration[slice], trace.slices.event[slice]});
  }
  for (const Step& step : linked.steps.items) {
    if (step.used()) rank.steps.push_back({step.start, step.end()});
  }
  return rank;
}

std::span<const Rule> CommunicationRules() { return kRules; }

}  // namespace stepscope
