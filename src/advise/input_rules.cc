#include <algorithm>
#include <array>

#include "advise/graph_facts.h"
#include "advise/rule_tools.h"
#include "advise/run_rates.h"
#include "advise/words.h"
#include "words/input.h"

// Rules on whether the accelerator waits for data, and which part of the pipeline makes it wait.
namespace stepscope {
namespace {

constexpr SayFrom<kInputTexts> Say;

// The number of loader workers or parallel calls that a fix is assumed to add. Every saving that
// uses it says so.
constexpr int64_t kAssumedWorkers = 4;

// What starting a worker process costs at least.
constexpr DurationNs kProcessStart{20'000'000};

// Input on the launching thread; what happens on worker threads is already beside the step.
std::vector<StepSpan> WaitedInput(const Evidence& e) { return Outermost(e, e.input_spans()); }

// With the work spread over p workers the step becomes the longest of device and input, not their
// sum.
DurationNs AfterOverlap(const Evidence& e, DurationNs input, int64_t workers) {
  const DurationNs device = e.busy_time();
  return std::max(e.real_step() - std::max(device, DurationNs{input.ns / workers}), DurationNs{});
}

RuleVerdict InputBoundStep(const Evidence& e) {
  const DurationNs wait = InputWait(e);
  if (e.Share(wait) < e.limits[Limit::kInputModerate]) return Quiet{};
  const std::vector<StepSpan> spans = WaitedInput(e);
  Fires fires;
  const Message what = spans.empty() ? Say("input-bound-step.its-input")
                                     : Verbatim(e.trace.Name(spans.front().slice));
  fires.title = e.has_device_work()
                    ? Say("input-bound-step.title", e.device_name(), OfEachStep(e, wait), what)
                    : Say("input-bound-step.host", OfEachStep(e, wait));
  fires.sentence = e.Share(wait) >= e.limits[Limit::kInputHigh] ? Say("input-bound-step.high")
                                                                : Say("input-bound-step.moderate");
  fires.saving_hi = wait;
  fires.changes = ChangesOf(spans, ChangeType::kRemove);
  // On a CPU input and model share the cores.
  fires.lo_at_most =
      e.has_device_work() ? AfterOverlap(e, UnionOf(e, spans), kAssumedWorkers) : DurationNs{};
  fires.saving_note = e.has_device_work() ? Say("input-bound-step.note", kAssumedWorkers)
                                          : Say("input-bound-step.host.note");
  fires.evidence = e.Longest(spans);
  return fires;
}

RuleVerdict InputBoundDifferential(const Evidence& e) {
  if (e.rates == nullptr || !e.rates->full || (!e.rates->trivial && !e.rates->synthetic)) {
    return CannotTell{Say("input-bound-differential.needs")};
  }
  const double full = *e.rates->full;
  const double near = e.limits[Limit::kTrivialRatio];
  if (!InputSetsThePace(*e.rates, near)) return Quiet{};
  Fires fires;
  const double other = e.rates->trivial ? *e.rates->trivial : *e.rates->synthetic;
  fires.title = Say("input-bound-differential.title",
                    e.rates->trivial ? Say("input-bound-differential.trivial")
                                     : Say("input-bound-differential.synthetic"),
                    other, full);
  fires.sentence = Say("input-bound-differential.because", other / full, near);
  if (e.rates->synthetic && *e.rates->synthetic > full) {
    fires.saving_hi = {
        static_cast<int64_t>(static_cast<double>(e.step().ns) * (1 - full / *e.rates->synthetic))};
    fires.saving_note = Say("input-bound-differential.note");
    fires.lo_at_most = DurationNs{};
  } else {
    fires.saving_hi = InputWait(e);
  }
  fires.gate = fires.saving_hi.ns == 0;
  fires.at_most = fires.gate ? FindingSeverity::kMedium : FindingSeverity::kHigh;
  return fires;
}

const InputStage* Bottleneck(const Evidence& e) {
  return e.report.input.stages.empty() ? nullptr : &e.report.input.stages.front();
}

// How long a stage blocks the program, per step; stages are summed over the whole profile.
DurationNs Blocking(const Evidence& e, const InputStage& stage) {
  const DurationNs whole = stage.blocking.ns > 0 ? stage.blocking : stage.self;
  return {whole.ns / static_cast<int64_t>(std::max<size_t>(e.linked.steps.items.size(), 1))};
}

// The same, never more than what the step waits for input in all.
DurationNs StageWait(const Evidence& e, const InputStage& stage) {
  return std::min(Blocking(e, stage), InputWait(e));
}

// tf.data also runs a plain map as a parallel stage (fused with the batch after it); the number of
// calls that it may make at once tells the two apart.
bool MapsOneByOne(const InputStage& stage) {
  const NameTags tags = TagsOf("Iterator::" + stage.name);
  const bool parallel = Has(tags, NameTag::kIteratorParallelMap);
  if (!Has(tags, NameTag::kIteratorMap) && !parallel) return false;
  return stage.parallelism ? *stage.parallelism == 1 && !stage.autotuned : !parallel;
}

// What to write for a stage; if empty, the text of the rule is used.
Message FixOfStage(const InputStage& stage) {
  const NameTags tags = TagsOf("Iterator::" + stage.name);
  if (Has(tags, NameTag::kIteratorSource)) {
    return FixOf("sequential-file-reads", Framework::kTensorFlow);
  }
  if (MapsOneByOne(stage)) return FixOf("sequential-map", Framework::kTensorFlow);
  const bool map = Has(tags, NameTag::kIteratorMap) || Has(tags, NameTag::kIteratorParallelMap);
  return map ? Say("tfdata-slow-iterator.map.fix") : Message();
}

RuleVerdict TfDataSlowIterator(const Evidence& e) {
  const InputStage* stage = Bottleneck(e);
  if (stage == nullptr || !e.Occurs(NameTag::kIterator) || !InputBound(e)) return Quiet{};
  Fires fires;
  fires.title = Say("tfdata-slow-iterator.title", stage->name, Blocking(e, *stage), EachStep(e));
  fires.sentence = Say("tfdata-slow-iterator.because", stage->path);
  fires.saving_hi = StageWait(e, *stage);
  fires.lo_at_most = DurationNs{};
  fires.saving_note = Say("tfdata-slow-iterator.note");
  fires.fix = FixOfStage(*stage);
  fires.evidence = e.Longest(e.input_spans());
  return fires;
}

std::optional<DurationNs> MedianOf(const Evidence& e, std::span<const StepSpan> spans) {
  if (spans.empty()) return std::nullopt;
  std::vector<DurationNs> lengths;
  for (const StepSpan& span : spans) lengths.push_back(e.trace.slices.duration[span.slice]);
  const auto middle = lengths.begin() + static_cast<ptrdiff_t>((lengths.size() - 1) / 2);
  std::nth_element(lengths.begin(), middle, lengths.end());
  return *middle;
}

RuleVerdict MissingPrefetch(const Evidence& e) {
  const std::vector<StepSpan> calls = e.HostSpans(NameTag::kGetNext);
  if (calls.empty() || MedianOf(e, calls)->ns < e.limits[Limit::kSlowGetNext]) return Quiet{};
  // A RunMetadata shows the call, not the stages below it.
  const bool shows_stages = e.Occurs(NameTag::kIterator);
  if (!shows_stages && e.graph == nullptr) return NeedsGraph();
  if (shows_stages ? e.Occurs(NameTag::kIteratorPrefetch) : Prefetches(*e.graph)) return Quiet{};
  const DurationNs wait = std::max(InputWait(e), ExposedHost(e, Outermost(e, calls)));
  Fires fires;
  fires.title = Say("missing-prefetch.title", OfEachStep(e, wait));
  fires.sentence = Say("missing-prefetch.because");
  // The sum becomes the larger of the two.
  fires.saving_hi = std::min(wait, std::max(e.step() - wait, DurationNs{}));
  fires.changes = ChangesOf(Outermost(e, calls), ChangeType::kRemove);
  fires.evidence = e.Longest(calls);
  return fires;
}

RuleVerdict SequentialMap(const Evidence& e) {
  const InputStage* stage = Bottleneck(e);
  if (stage == nullptr || !MapsOneByOne(*stage)) return Quiet{};
  const DurationNs wait = StageWait(e, *stage);
  if (e.Share(wait) < e.limits[Limit::kInputModerate]) return Quiet{};
  const int64_t cores =
      e.machine != nullptr ? std::max(1, e.machine->logical_cores) : kAssumedWorkers;
  if (cores < 2) return Quiet{};
  Fires fires;
  fires.title = Say("sequential-map.title", OfEachStep(e, wait));
  fires.sentence = Say("sequential-map.because");
  fires.saving_hi = {wait.ns - wait.ns / cores};
  fires.saving_note = Say("sequential-map.note", cores);
  fires.evidence = e.Longest(e.input_spans());
  return fires;
}

RuleVerdict SequentialFileReads(const Evidence& e) {
  const bool reads = e.Occurs(NameTag::kIteratorSource);
  const bool one_by_one =
      e.Occurs(NameTag::kIteratorInterleave) && !e.Occurs(NameTag::kIteratorParallelInterleave);
  if (!reads || !one_by_one) return Quiet{};
  if (e.dataset != nullptr && e.dataset->files < 2) return Quiet{};
  const std::vector<StepSpan> sources = e.HostSpans(NameTag::kIteratorSource);
  const DurationNs exposed = ExposedHost(e, Outermost(e, sources));
  Fires fires;
  fires.title = Say("sequential-file-reads.title", OfEachStep(e, exposed));
  fires.sentence = Say("sequential-file-reads.because");
  fires.saving_hi = {exposed.ns - exposed.ns / kAssumedWorkers};
  fires.saving_note = Say("sequential-file-reads.note", kAssumedWorkers);
  fires.at_most = FindingSeverity::kMedium;
  fires.confidence = Confidence::kMedium;
  fires.evidence = e.Longest(sources);
  return fires;
}

RuleVerdict MissingCache(const Evidence& e) {
  if (e.dataset == nullptr) return NeedsDataset();
  if (e.machine == nullptr) return NeedsMachine();
  const bool fits =
      static_cast<double>(e.dataset->bytes) <
      e.limits[Limit::kCacheShareOfMemory] * static_cast<double>(e.machine->memory_bytes);
  if (!fits || e.Occurs(NameTag::kIteratorCache) || !InputBound(e)) return Quiet{};
  Fires fires;
  fires.title = Say("missing-cache-small-dataset.title", e.dataset->bytes);
  fires.sentence = Say("missing-cache-small-dataset.because");
  fires.saving_hi = InputWait(e);
  fires.at_most = FindingSeverity::kMedium;
  fires.confidence = Confidence::kMedium;
  return fires;
}

RuleVerdict ManySmallFiles(const Evidence& e) {
  if (e.dataset == nullptr) return NeedsDataset();
  if (static_cast<double>(e.dataset->files) <= e.limits[Limit::kManyFiles] ||
      static_cast<double>(e.dataset->median_file_bytes) >= e.limits[Limit::kSmallFile] ||
      !InputBound(e)) {
    return Quiet{};
  }
  Fires fires;
  fires.title = Say("many-small-files.title", e.dataset->files, e.dataset->median_file_bytes);
  fires.sentence = Say("many-small-files.because");
  fires.saving_hi = InputWait(e);
  fires.confidence = Confidence::kMedium;
  return fires;
}

RuleVerdict DiskThroughput(const Evidence& e) {
  if (e.dataset == nullptr || !e.dataset->read_bytes_per_s || !e.dataset->records) {
    return CannotTell{Say("disk-throughput-insufficient.needs")};
  }
  if (e.job == nullptr || !e.job->batch)
    return CannotTell{Say("disk-throughput-insufficient.needs-batch")};
  const double per_record =
      static_cast<double>(e.dataset->bytes) / static_cast<double>(*e.dataset->records);
  // Without device time nothing says how fast the input would have to be.
  const DurationNs device = e.busy_time();
  if (device.ns == 0) return Quiet{};
  const double need =
      per_record * static_cast<double>(*e.job->batch) / (static_cast<double>(device.ns) / 1e9);
  const double have = *e.dataset->read_bytes_per_s;
  if (need <= e.limits[Limit::kDiskShare] * have || !InputBound(e)) return Quiet{};
  Fires fires;
  fires.title = Say("disk-throughput-insufficient.title", need / 1e6, have / 1e6);
  fires.sentence = Say("disk-throughput-insufficient.because");
  fires.saving_hi = InputWait(e);
  fires.confidence = Confidence::kMedium;
  fires.evidence = e.Longest(e.input_spans());
  return fires;
}

RuleVerdict DataLoaderWorkersZero(const Evidence& e) {
  const std::vector<StepSpan> next = e.With(e.input_spans(), NameTag::kLoaderSingle);
  const DurationNs wait = std::min(InputWait(e), UnionOf(e, next));
  if (next.empty() || e.Share(wait) < e.limits[Limit::kInputModerate]) return Quiet{};
  Fires fires;
  fires.title = Say("dataloader-workers-zero.title");
  fires.sentence = Say("dataloader-workers-zero.because", UnionOf(e, next));
  fires.saving_hi = wait;
  fires.changes = ChangesOf(Outermost(e, next), ChangeType::kRemove);
  fires.lo_at_most = AfterOverlap(e, UnionOf(e, next), kAssumedWorkers);
  fires.evidence = e.Longest(next);
  return fires;
}

RuleVerdict DataLoaderWorkersMismatch(const Evidence& e) {
  const bool logged = e.log != nullptr && e.log->workers_created && e.log->workers_suggested;
  if (logged && *e.log->workers_created > *e.log->workers_suggested) {
    Fires fires;
    fires.gate = true;
    fires.at_most = FindingSeverity::kMedium;
    fires.title = Say("dataloader-workers-mismatch.logged", *e.log->workers_created,
                      *e.log->workers_suggested);
    fires.sentence = Say("dataloader-workers-mismatch.logged.because");
    return fires;
  }
  if (e.job == nullptr || !e.job->loader_workers)
    return CannotTell{Say("dataloader-workers-mismatch.needs")};
  if (e.machine == nullptr) return NeedsMachine();
  const double workers = static_cast<double>(*e.job->loader_workers) *
                         static_cast<double>(e.job->ranks_per_host.value_or(1));
  const double cores = std::max(1, e.machine->logical_cores);
  const bool too_many = workers > e.limits[Limit::kWorkersTooMany] * cores;
  const bool too_few = workers < e.limits[Limit::kWorkersTooFew] * cores && InputBound(e);
  if (!too_many && !too_few) return Quiet{};
  Fires fires;
  fires.title = too_many ? Say("dataloader-workers-mismatch.many", workers, cores)
                         : Say("dataloader-workers-mismatch.few", workers, cores);
  fires.sentence = too_many ? Say("dataloader-workers-mismatch.many.because")
                            : Say("dataloader-workers-mismatch.few.because");
  fires.gate = too_many;
  fires.at_most = FindingSeverity::kMedium;
  fires.saving_hi = too_few ? DurationNs{static_cast<int64_t>(static_cast<double>(InputWait(e).ns) *
                                                              (1 - workers / cores))}
                            : DurationNs{};
  fires.confidence = Confidence::kMedium;
  return fires;
}

// One epoch inside a step: how its iterator starts and ends.
struct Epoch {
  StepSpan first, last;
  DurationNs before{};  // of the thread, silent, until the first batch is asked for
  DurationNs excess{};  // of the first and the last call over the usual one
};

// From the end of what the thread recorded before the span, inside the window.
DurationNs SilenceBefore(const Evidence& e, const StepSpan& span) {
  const Slices& slices = e.trace.slices;
  const TimeNs start = slices.start[span.slice];
  TimeNs busy_until = e.windows()[span.window].host.start;
  const RowRange rows = e.trace.tracks[Index(e.trace.TrackOf(span.slice))].slices;
  for (uint32_t s = span.slice; s-- > rows.first;) {
    if (slices.start[s] < e.windows()[span.window].host.start) break;
    if (slices.end(s) <= start) busy_until = std::max(busy_until, slices.end(s));
  }
  return std::max(start - busy_until, DurationNs{});
}

// Windows in which the thread of the step asks for many batches, the first time at a high price.
std::vector<Epoch> EpochsOf(const Evidence& e) {
  std::vector<std::vector<StepSpan>> by_window(e.step_count());
  for (const StepSpan& span : Outermost(e, e.input_spans())) {
    const uint32_t step = e.windows()[span.window].step;
    const SliceId marker = step == kNoRow ? kNoSlice : e.linked.steps.items[step].marker;
    if (marker == kNoSlice || e.trace.TrackOf(Index(marker)) != e.trace.TrackOf(span.slice))
      continue;
    by_window[span.window].push_back(span);
  }
  std::vector<Epoch> epochs;
  for (const std::vector<StepSpan>& spans : by_window) {
    if (spans.size() < 3) continue;
    const DurationNs usual = *MedianOf(e, std::span(spans).subspan(1));
    const auto over = [&](const StepSpan& span) {
      return e.trace.slices.duration[span.slice] - usual;
    };
    if (static_cast<double>(over(spans.front()).ns) <=
        (e.limits[Limit::kEpochStallFactor] - 1) * static_cast<double>(usual.ns)) {
      continue;
    }
    epochs.push_back({spans.front(), spans.back(), SilenceBefore(e, spans.front()),
                      over(spans.front()) + std::max(over(spans.back()), DurationNs{})});
  }
  return epochs;
}

RuleVerdict EpochBoundaryStall(const Evidence& e) {
  const std::vector<Epoch> epochs = EpochsOf(e);
  DurationNs before{};
  DurationNs excess{};
  std::vector<StepSpan> stalls;
  for (const Epoch& epoch : epochs) {
    before += epoch.before;
    excess += epoch.excess;
    stalls.push_back(epoch.first);
    stalls.push_back(epoch.last);
  }
  const DurationNs stall = before + excess;
  // Starting worker processes takes tens of milliseconds; less is the queue being filled again.
  if (epochs.size() < 2 || stall.ns < static_cast<int64_t>(epochs.size()) * kProcessStart.ns)
    return Quiet{};
  if (e.Share(e.PerStep(stall)) < e.limits[Limit::kInputModerate]) return Quiet{};
  Fires fires;
  fires.title = Say("input-epoch-boundary-stall.title", OfEachStep(e, e.PerStep(stall)));
  fires.sentence = Say("input-epoch-boundary-stall.because", e.PerStep(before), e.PerStep(excess));
  fires.saving_hi = std::min(e.PerStep(before) + InputWait(e), e.step());
  fires.changes = ChangesOf(stalls, ChangeType::kRemove);
  fires.lo_means = Say("input-epoch-boundary-stall.lo");
  fires.hi_means = Say("input-epoch-boundary-stall.hi");
  fires.evidence = e.Longest(stalls);
  return fires;
}

RuleVerdict MapFunctionTooSmall(const Evidence& e) {
  const std::vector<StepSpan> calls = e.HostSpans(NameTag::kCapturedFunction);
  const double per_step = static_cast<double>(calls.size()) / e.step_count();
  if (per_step < e.limits[Limit::kTinyMapCalls]) return Quiet{};
  const DurationNs function = TimeOf(e, calls);
  // A function that is only started here runs elsewhere; its ops run as often as it is called.
  DurationNs ops{};
  for (const OpRow& row : e.report.ops) {
    if (row.kind == Kind::kOp && row.calls * 10 >= calls.size() * 9) ops += row.host_self;
  }
  const double steps = static_cast<double>(std::max<size_t>(e.linked.steps.items.size(), 1));
  const double mean =
      std::max(static_cast<double>(function.ns), static_cast<double>(ops.ns) / steps) / per_step;
  std::vector<StepSpan> maps = e.HostSpans(NameTag::kIteratorMap);
  const DurationNs whole = UnionOf(e, maps);
  if (mean >= e.limits[Limit::kTinyMapCall] || whole.ns == 0) return Quiet{};
  const DurationNs scheduling =
      std::max(whole - function, DurationNs{static_cast<int64_t>(per_step * 10'000)});
  const double calling = 1 - std::min(1.0, mean * per_step / static_cast<double>(whole.ns));
  if (e.Share(whole) < e.limits[Limit::kInputModerate] ||
      calling < e.limits[Limit::kMapSchedulingShare]) {
    return Quiet{};
  }
  Fires fires;
  fires.title = Say("map-function-too-small.title", per_step, EachStep(e),
                    DurationNs{static_cast<int64_t>(mean)});
  fires.sentence = Say("map-function-too-small.because");
  fires.saving_hi = std::min(scheduling, whole);
  fires.evidence = e.Longest(maps);
  return fires;
}

constexpr std::array kRules{
    Rule{"input-bound-step", RuleGroup::kInput, "", InputBoundStep},
    Rule{"input-bound-differential", RuleGroup::kInput, "", InputBoundDifferential},
    Rule{"tfdata-slow-iterator", RuleGroup::kInput, "input-bound-step", TfDataSlowIterator},
    Rule{"missing-prefetch", RuleGroup::kInput, "input-bound-step", MissingPrefetch},
    Rule{"sequential-map", RuleGroup::kInput, "input-bound-step", SequentialMap},
    Rule{"sequential-file-reads", RuleGroup::kInput, "input-bound-step", SequentialFileReads},
    Rule{"missing-cache-small-dataset", RuleGroup::kInput, "input-bound-step", MissingCache},
    Rule{"many-small-files", RuleGroup::kInput, "input-bound-step", ManySmallFiles},
    Rule{"disk-throughput-insufficient", RuleGroup::kInput, "input-bound-step", DiskThroughput},
    Rule{"dataloader-workers-zero", RuleGroup::kInput, "input-bound-step", DataLoaderWorkersZero},
    Rule{"dataloader-workers-mismatch", RuleGroup::kInput, "", DataLoaderWorkersMismatch},
    Rule{"input-epoch-boundary-stall", RuleGroup::kInput, "input-bound-step", EpochBoundaryStall},
    Rule{"map-function-too-small", RuleGroup::kInput, "input-bound-step", MapFunctionTooSmall},
};

}  // namespace

std::span<const Rule> InputRules() { return kRules; }

}  // namespace stepscope
