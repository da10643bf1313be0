#include <algorithm>
#include <array>

#include "advise/graph_facts.h"
#include "advise/rule_tools.h"
#include "words/feed.h"

// Rules on whether the host has enough cores for the input, and on how data gets into the step:
// feeds, queues, Python, image ops.
namespace stepscope {
namespace {

constexpr SayFrom<kFeedTexts> Say;

RuleVerdict FeedDict(const Evidence& e) {
  const DurationNs spans = ExposedHost(e, e.HostSpans(NameTag::kFeed));
  const int64_t fed = e.graph == nullptr ? 0 : FedBytes(*e.graph, e.trace);
  const bool graph_feeds = fed >= static_cast<int64_t>(e.limits[Limit::kSmallFile]);
  if (e.Share(spans) < e.limits[Limit::kFeedShare] && !graph_feeds) {
    const bool graph_mode = e.trace.facts.format == Format::kRunMetadata;
    if (graph_mode && e.graph == nullptr) return NeedsGraph();
    return Quiet{};
  }
  Fires fires;
  fires.title = graph_feeds ? Say("feed-dict-input.title", static_cast<double>(fed) / 1e6)
                            : Say("feed-dict-input.arrays", OfEachStep(e, spans));
  fires.sentence = Say("feed-dict-input.because");
  fires.saving_hi = spans;
  fires.gate = spans.ns == 0;
  fires.at_most = graph_feeds ? FindingSeverity::kMedium : FindingSeverity::kHigh;
  fires.saving_note = spans.ns == 0 ? Say("feed-dict-input.note") : Message();
  return fires;
}

RuleVerdict QueueRunner(const Evidence& e) {
  const std::vector<StepSpan> dequeues = e.HostSpans(NameTag::kQueueDequeue);
  const DurationNs exposed = ExposedHost(e, dequeues);
  if (e.Share(exposed) < e.limits[Limit::kQueueShare]) return Quiet{};
  Fires fires;
  fires.title = Say("queue-runner-input.title", OfEachStep(e, exposed));
  fires.sentence = Say("queue-runner-input.because");
  fires.saving_hi = exposed;
  fires.changes = ChangesOf(dequeues, ChangeType::kRemove);
  fires.evidence = e.Longest(dequeues);
  return fires;
}

// Python calls made by the input pipeline, not by the model.
std::vector<StepSpan> InputPython(const Evidence& e) {
  std::vector<StepSpan> calls;
  for (const StepSpan& span : e.HostSpans(NameTag::kPyFunc)) {
    if (IsInInput(e, span.slice)) calls.push_back(span);
  }
  return calls;
}

RuleVerdict PythonInInput(const Evidence& e) {
  std::vector<StepSpan> calls = InputPython(e);
  if (calls.empty()) calls = e.HostSpans(NameTag::kIteratorGenerator);
  if (calls.empty()) return Quiet{};
  // Calls that overlap still take turns: one interpreter runs them all.
  const DurationNs together = UnionOf(e, calls);
  if (e.Share(together) < e.limits[Limit::kInputModerate]) return Quiet{};
  Fires fires;
  fires.title = Say("python-in-input.title", OfEachStep(e, together));
  fires.sentence = Say("python-in-input.because");
  fires.saving_hi = std::min(together, std::max(InputWait(e), DurationNs{}));
  if (fires.saving_hi.ns == 0) fires.saving_hi = together;
  fires.confidence = Confidence::kMedium;
  fires.evidence = e.Longest(calls);
  return fires;
}

RuleVerdict JpegDecodeCrop(const Evidence& e) {
  const bool in_graph = e.graph != nullptr && DecodesThenCrops(*e.graph);
  const std::vector<StepSpan> decodes = e.HostSpans(NameTag::kDecodeImage);
  const bool fused = e.Occurs(NameTag::kDecodeAndCrop);
  const bool in_trace = !decodes.empty() && e.Occurs(NameTag::kCrop) && !fused;
  if (!in_graph && !in_trace) return Quiet{};
  const DurationNs exposed = std::min(ExposedHost(e, decodes), InputWait(e));
  Fires fires;
  fires.title = Say("jpeg-decode-crop-unfused.title");
  fires.sentence = Say("jpeg-decode-crop-unfused.because", OfEachStep(e, exposed));
  // The performance guide names savings of up to 30 % of the input time.
  fires.saving_hi = {exposed.ns * 3 / 10};
  fires.gate = fires.saving_hi.ns == 0;
  fires.at_most = fires.gate ? FindingSeverity::kNote : FindingSeverity::kMedium;
  fires.confidence = Confidence::kMedium;
  fires.evidence = e.Longest(decodes);
  return fires;
}

RuleVerdict PreprocessingOnGpu(const Evidence& e) {
  if (!e.has_device_work()) return Quiet{};
  const NameTotal image = e.Sum(NameTag::kImageOp);
  const DurationNs time = e.PerStep(image.launched);
  if (e.Share(time) < e.limits[Limit::kPreprocessShare] ||
      e.Share(InputWait(e)) >= e.limits[Limit::kInputModerate])
    return Quiet{};
  Fires fires;
  fires.title = Say("preprocessing-on-gpu.title", e.device_name(), OfEachStep(e, time));
  fires.sentence = Say("preprocessing-on-gpu.because");
  fires.saving_hi = time;
  fires.at_most = FindingSeverity::kMedium;
  fires.confidence = Confidence::kLow;
  return fires;
}

// Mean number of host threads with work inside the steps.
double BusyThreads(const Evidence& e) {
  DurationNs busy{};
  for (const Track& track : e.trace.tracks) {
    if (track.kind != TrackKind::kThread) continue;
    std::vector<Interval> tops;
    for (uint32_t s = track.slices.first; s < track.slices.last; ++s) {
      if (e.trace.slices.kind[s] == Kind::kOp || e.trace.slices.kind[s] == Kind::kInput ||
          Has(e.Tags(e.trace.slices.name[s]), NameTag::kCapturedFunction)) {
        tops.push_back({e.trace.slices.start[s], e.trace.slices.end(s)});
      }
    }
    busy += e.step_time().OverlapWith(IntervalSet::Of(std::move(tops)));
  }
  const DurationNs steps = e.step_time().length();
  return steps.ns == 0 ? 0 : static_cast<double>(busy.ns) / static_cast<double>(steps.ns);
}

RuleVerdict InputCpuSaturated(const Evidence& e) {
  if (!InputBound(e)) return Quiet{};
  const bool well_built =
      e.Occurs(NameTag::kIteratorPrefetch) && e.Occurs(NameTag::kIteratorParallelMap);
  if (!well_built) return Quiet{};
  if (e.machine == nullptr) return NeedsMachine();
  const double threads = BusyThreads(e);
  if (threads < e.limits[Limit::kCpuSaturated] * e.machine->logical_cores) return Quiet{};
  Fires fires;
  fires.title = Say("input-cpu-saturated.title", threads, e.machine->logical_cores);
  fires.sentence = Say("input-cpu-saturated.because");
  fires.saving_hi = InputWait(e);
  fires.lo_at_most = DurationNs{};
  return fires;
}

RuleVerdict HostThreadContention(const Evidence& e) {
  if (!e.has_device_work()) return Quiet{};
  const DurationNs launch = e.Idle(Cause::kLaunch) + e.Idle(Cause::kHostOp);
  if (e.Share(launch) < e.limits[Limit::kContentionShare] || !e.Occurs(NameTag::kIterator))
    return Quiet{};
  if (e.machine == nullptr) return NeedsMachine();
  const double threads = BusyThreads(e);
  if (threads <= e.machine->logical_cores) return Quiet{};
  Fires fires;
  fires.title = Say("host-thread-contention.title", threads, e.machine->logical_cores);
  fires.sentence = Say("host-thread-contention.because");
  fires.saving_hi = launch;
  fires.confidence = Confidence::kMedium;
  return fires;
}

constexpr std::array kRules{
    Rule{"input-cpu-saturated", RuleGroup::kInput, "input-bound-step", InputCpuSaturated},
    Rule{"host-thread-contention", RuleGroup::kInput, "kernel-launch-bound", HostThreadContention},
    Rule{"feed-dict-input", RuleGroup::kInput, "", FeedDict},
    Rule{"queue-runner-input", RuleGroup::kInput, "input-bound-step", QueueRunner},
    Rule{"python-in-input", RuleGroup::kInput, "input-bound-step", PythonInInput},
    Rule{"jpeg-decode-crop-unfused", RuleGroup::kInput, "", JpegDecodeCrop},
    Rule{"preprocessing-on-gpu", RuleGroup::kInput, "", PreprocessingOnGpu},
};

}  // namespace

std::span<const Rule> FeedRules() { return kRules; }

}  // namespace stepscope
