#include "advise/evidence.h"

#include <fmt/core.h>

#include <algorithm>
#include <cmath>
#include <numeric>
#include <tuple>

namespace stepscope {
namespace {

Framework FrameworkOf(const RunFacts& facts) {
  if (facts.framework == "PyTorch") return Framework::kPyTorch;
  if (facts.framework == "TensorFlow") return Framework::kTensorFlow;
  if (facts.framework == "JAX") return Framework::kJax;
  if (facts.framework == "ONNX Runtime") return Framework::kOnnxRuntime;
  return Framework::kOther;
}

// Bits of Evidence::name_class_.
constexpr uint8_t kSeen = 1;
constexpr uint8_t kTagged = 2;      // a rule may ask for spans of this name
constexpr uint8_t kClassified = 4;  // its traits put it into a list

DurationNs LowerMiddle(std::vector<DurationNs>& values) {
  if (values.empty()) return {};
  const auto at = values.begin() + static_cast<ptrdiff_t>((values.size() - 1) / 2);
  std::nth_element(values.begin(), at, values.end());
  return *at;
}

const DeviceBusy kNoSets;

}  // namespace

Evidence::Evidence(const LinkedTrace& the_trace, const Report& the_report, const Limits& the_limits,
                   TaskPool& pool)
    : linked(the_trace),
      trace(the_trace.trace),
      report(the_report),
      limits(the_limits),
      framework(FrameworkOf(the_trace.trace.facts)),
      sets_(&kNoSets) {
  IndexSteps();
  PickDevice();
  std::vector<NameTotal> device_totals;
  std::vector<StringId> device_names;
  pool.ForEach(2, [&](size_t side) {
    if (side == 0) {
      IndexHostSpans();
    } else {
      IndexDeviceWork(device_totals, device_names);
    }
  });
  AddTotals(device_totals, device_names);
}

void Evidence::Use(const Given& given) {
  machine = given.machine ? &*given.machine : nullptr;
  log = given.log ? &*given.log : nullptr;
  dataset = given.dataset ? &*given.dataset : nullptr;
  rates = given.rates ? &*given.rates : nullptr;
  job = given.job ? &*given.job : nullptr;
  graph = given.graph ? &*given.graph : nullptr;
  if (!given.ranks.empty()) {
    ranks = given.ranks;
    own_rank = given.own_rank;
  }
}

namespace {

// No run is recorded for so long; such a span lies between times of two different clocks.
constexpr DurationNs kClocksApart{86'400LL * 1'000'000'000};

// A profile without steps, as a whole. Where host and device count from different beginnings,
// what lies between the two is no time at all: then it is the time in which the device works.
Interval WholeOf(const LinkedTrace& linked) {
  const Interval all{TimeNs{0}, TimeNs{0} + linked.trace.span};
  if (linked.trace.span < kClocksApart || linked.windows.empty()) return all;
  return linked.windows.front();
}

}  // namespace

void Evidence::IndexSteps() {
  std::vector<Interval> times;
  std::vector<DurationNs> lengths;
  for (uint32_t s = 0; s < linked.steps.items.size(); ++s) {
    const Step& step = linked.steps.items[s];
    if (!step.used()) continue;
    windows_.push_back(
        {{step.start, step.end()}, {step.host_start, step.host_start + step.host_duration}, s});
  }
  if (windows_.empty()) {
    const Interval whole = WholeOf(linked);
    windows_.push_back({whole, whole, kNoRow});
  }
  for (const Window& window : windows_) {
    times.push_back(window.time);
    lengths.push_back(window.time.length());
  }
  step_time_ = IntervalSet::Of(std::move(times));
  median_ = LowerMiddle(lengths);
  real_step_ = has_steps() ? report.step_statistics.unprofiled_median.value_or(median_) : median_;
  for (DurationNs& length : lengths) length.ns = std::abs(length.ns - median_.ns);
  deviation_ = LowerMiddle(lengths);
}

void Evidence::PickDevice() {
  std::vector<DurationNs> busy(trace.devices.size());
  for (const DeviceTimeline& timeline : report.device_timeline) {
    busy[static_cast<size_t>(timeline.device)] = timeline.all.busy;
  }
  for (size_t d = 0; d < busy.size(); ++d) {
    if (trace.devices[d].type == DeviceType::kCpu || busy[d].ns == 0) continue;
    if (device_ < 0 || busy[d] > busy[static_cast<size_t>(device_)]) {
      device_ = static_cast<int32_t>(d);
    }
  }
  for (const DeviceBusy& sets : report.device_busy) {
    if (sets.device == device_) sets_ = &sets;
  }
  busy_in_steps_ = step_time_.OverlapWith(sets_->busy);
}

uint8_t Evidence::ClassifyName(StringId name) {
  const NameTraits& traits = trace.traits[Index(name)];
  const NameTags tags = TagsOf(trace.strings[name]);
  uint8_t bits = kSeen;
  if (tags.any()) {
    bits |= kTagged;
    list_of_name_[Index(name)] = static_cast<uint32_t>(tagged_.size());
    tagged_.emplace_back();
  }
  if (traits.input_stage || traits.compile || traits.optimizer) bits |= kClassified;
  tags_[Index(name)] = tags;
  names_.push_back(name);
  return name_class_[Index(name)] = bits;
}

// Host spans belong to the window in whose marker they start.
void Evidence::IndexHostSpans() {
  const size_t strings = trace.strings.size();
  totals_.resize(strings);
  tags_.resize(strings);
  name_class_.resize(strings);
  list_of_name_.assign(strings, kNoRow);
  const Slices& slices = trace.slices;
  for (const Track& track : trace.tracks) {
    if (track.kind == TrackKind::kStream) continue;
    uint32_t at = 0;
    for (uint32_t s = track.slices.first; s < track.slices.last; ++s) {
      while (at < windows_.size() && windows_[at].host.end <= slices.start[s]) ++at;
      if (at == windows_.size()) break;
      if (slices.start[s] < windows_[at].host.start) continue;
      const StringId name = slices.name[s];
      NameTotal& total = totals_[Index(name)];
      ++total.calls;
      total.host += slices.duration[s];
      uint8_t bits = name_class_[Index(name)];
      if (bits == 0) bits = ClassifyName(name);
      if ((bits & kTagged) != 0) tagged_[list_of_name_[Index(name)]].push_back({s, at});
      const Kind kind = slices.kind[s];
      if ((bits & kClassified) != 0 || (kind != Kind::kOp && kind != Kind::kPythonFrame)) {
        Classify({s, at});
      }
    }
  }
}

void Evidence::Classify(const StepSpan& span) {
  const NameTraits& traits = trace.Traits(span.slice);
  if (traits.optimizer) optimizer_spans_.push_back(span);
  switch (trace.slices.kind[span.slice]) {
    case Kind::kCall:
      if (traits.sync_call) sync_calls_.push_back(span);
      if (traits.alloc_call) alloc_calls_.push_back(span);
      if (traits.launch_call) launch_calls_.push_back(span);
      if (traits.compile) compile_spans_.push_back(span);
      return;
    case Kind::kSync:
      sync_calls_.push_back(span);
      return;
    case Kind::kCompile:
      compile_spans_.push_back(span);
      return;
    case Kind::kOverhead:
      overhead_spans_.push_back(span);
      return;
    case Kind::kInput:
      input_spans_.push_back(span);
      return;
    default:
      break;
  }
  if (traits.input_stage) input_spans_.push_back(span);
  if (traits.compile) compile_spans_.push_back(span);
}

// Device work with args, stream by stream in the order it ran.
void Evidence::IndexDeviceWork(std::vector<NameTotal>& totals, std::vector<StringId>& names) {
  totals.resize(trace.strings.size());
  const auto total_of = [&](StringId name) -> NameTotal& {
    NameTotal& total = totals[Index(name)];
    if (total.calls == 0 && total.launches == 0) names.push_back(name);
    return total;
  };
  std::vector<uint32_t> window_of_step(linked.steps.items.size(), kNoRow);
  for (uint32_t w = 0; w < windows_.size(); ++w) {
    if (windows_[w].step != kNoRow) window_of_step[windows_[w].step] = w;
  }
  const Slices& slices = trace.slices;
  const int32_t index = device_ < 0 ? -1 : trace.devices[static_cast<size_t>(device_)].index;
  kernels_.reserve(trace.device_args.size());
  for (uint32_t slice = 0; slice < slices.size(); ++slice) {
    const uint32_t row = slices.args[slice];
    if (row == kNoRow || !IsDeviceWork(slices.kind[slice])) continue;
    if (trace.device_args[row].device != index) continue;
    uint32_t window = 0;
    if (has_steps()) {
      const uint32_t step = linked.steps.step_of_device[row];
      window = step == kNoRow ? kNoRow : window_of_step[step];
      if (window == kNoRow) continue;
    }
    NameTotal& total = total_of(slices.name[slice]);
    ++total.calls;
    total.device += slices.duration[slice];
    if (const SliceId op = linked.links.op_of[row]; op != kNoSlice) {
      NameTotal& owner = total_of(slices.name[Index(op)]);
      owner.launched += slices.duration[slice];
      ++owner.launches;
    }
    const StepSpan span{slice, window};
    const Kind kind = slices.kind[slice];
    if (kind == Kind::kKernel) kernels_.push_back(span);
    if (kind == Kind::kCollective) collectives_.push_back(span);
    if (kind == Kind::kCopy) copies_.push_back(span);
  }
}

void Evidence::AddTotals(const std::vector<NameTotal>& totals, const std::vector<StringId>& names) {
  for (const StringId name : names) {
    const NameTotal& from = totals[Index(name)];
    NameTotal& total = totals_[Index(name)];
    if (name_class_[Index(name)] == 0) {
      tags_[Index(name)] = TagsOf(trace.strings[name]);
      names_.push_back(name);
    }
    total.calls += from.calls;
    total.device += from.device;
    total.launched += from.launched;
    total.launches += from.launches;
  }
}

double Evidence::Share(DurationNs per_step) const {
  return median_.ns == 0 ? 0 : static_cast<double>(per_step.ns) / static_cast<double>(median_.ns);
}

double Evidence::RealShare(DurationNs per_step) const {
  return real_step_.ns == 0 ? 0
                            : static_cast<double>(per_step.ns) / static_cast<double>(real_step_.ns);
}

DurationNs Evidence::PerStep(DurationNs total) const {
  return {total.ns / static_cast<int64_t>(windows_.size())};
}

bool Evidence::WorthSaying(DurationNs per_step) const {
  // The standard error of the mean step, from the median absolute deviation.
  const double error = 1.4826 * static_cast<double>(deviation_.ns) / std::sqrt(step_count());
  return per_step.ns > 0 && Share(per_step) >= limits[Limit::kWorthSaying] &&
         static_cast<double>(per_step.ns) >= error;
}

std::string Evidence::device_name() const {
  const Device* device = device_facts();
  return device == nullptr ? "cpu:0" : DeviceIdOf(device->type, device->index);
}

const Device* Evidence::device_facts() const {
  return device_ < 0 ? nullptr : &trace.devices[static_cast<size_t>(device_)];
}

double Evidence::utilization() const {
  const DurationNs steps = step_time_.length();
  return steps.ns == 0 ? 0 : static_cast<double>(busy_in_steps_.ns) / static_cast<double>(steps.ns);
}

DurationNs Evidence::Idle(Cause cause) const {
  DurationNs sum{};
  if (!has_steps()) {
    for (const IdleCause& row : report.idle_causes) {
      if (row.cause == cause && (device_ < 0 || row.device == device_)) sum += row.total;
    }
    return sum;
  }
  for (const Window& window : windows_) {
    for (const DeviceStep& device : report.breakdown[window.step].devices) {
      if (device_ < 0 || device.device == device_) {
        sum += device.idle_causes[static_cast<size_t>(cause)];
      }
    }
  }
  return PerStep(sum);
}

DurationNs Evidence::Exposed(std::span<const StepSpan> device_work) const {
  std::vector<Interval> intervals;
  for (const StepSpan& span : device_work) {
    intervals.push_back({trace.slices.start[span.slice], trace.slices.end(span.slice)});
  }
  return PerStep(IntervalSet::Of(std::move(intervals)).Subtract(compute()));
}

DurationNs Evidence::IdleAfter(TimeNs time) const {
  const auto intervals = sets_->busy.intervals();
  const auto next = std::upper_bound(intervals.begin(), intervals.end(), time,
                                     [](TimeNs t, Interval i) { return t < i.end; });
  if (next == intervals.end() || next->start <= time) return {};
  return next->start - time;
}

NameTotal Evidence::Sum(
    const std::function<bool(std::string_view, const NameTotal&)>& wanted) const {
  NameTotal sum;
  for (const StringId name : names_) {
    const NameTotal& total = totals_[Index(name)];
    if (!wanted(trace.strings[name], total)) continue;
    sum.calls += total.calls;
    sum.host += total.host;
    sum.device += total.device;
    sum.launched += total.launched;
    sum.launches += total.launches;
  }
  return sum;
}

NameTotal Evidence::Sum(NameTag tag) const {
  return Sum([&](std::string_view, const NameTotal& total) {
    return Has(tags_[static_cast<size_t>(&total - totals_.data())], tag);
  });
}

std::vector<StepSpan> Evidence::With(std::span<const StepSpan> spans, NameTag tag) const {
  std::vector<StepSpan> found;
  for (const StepSpan& span : spans) {
    if (Has(TagsOfSpan(span), tag)) found.push_back(span);
  }
  return found;
}

std::vector<StepSpan> Evidence::HostSpans(NameTag tag) const {
  std::vector<StepSpan> found;
  size_t lists = 0;
  for (const StringId name : names_) {
    if (list_of_name_[Index(name)] == kNoRow || !Has(tags_[Index(name)], tag)) continue;
    const std::vector<StepSpan>& list = tagged_[list_of_name_[Index(name)]];
    found.insert(found.end(), list.begin(), list.end());
    ++lists;
  }
  if (lists > 1) {
    std::sort(found.begin(), found.end(),
              [](const StepSpan& a, const StepSpan& b) { return a.slice < b.slice; });
  }
  return found;
}

EvidenceItem Evidence::Item(const StepSpan& span) const {
  EvidenceItem item;
  item.rank = trace.facts.rank;
  if (const uint32_t step = windows_[span.window].step; step != kNoRow) {
    item.step = linked.steps.items[step].number;
  }
  item.start = trace.slices.start[span.slice];
  item.length = trace.slices.duration[span.slice];
  item.events = {trace.slices.event[span.slice]};
  if (IsDeviceWork(trace.slices.kind[span.slice])) item.device = device_name();
  return item;
}

std::vector<EvidenceItem> Evidence::Longest(std::span<const StepSpan> spans, size_t count) const {
  std::vector<StepSpan> sorted(spans.begin(), spans.end());
  const size_t keep = std::min(count, sorted.size());
  std::partial_sort(sorted.begin(), sorted.begin() + static_cast<ptrdiff_t>(keep), sorted.end(),
                    [&](const StepSpan& a, const StepSpan& b) {
                      const DurationNs da = trace.slices.duration[a.slice];
                      const DurationNs db = trace.slices.duration[b.slice];
                      return da != db ? da > db : a.slice < b.slice;
                    });
  std::vector<EvidenceItem> items;
  for (size_t i = 0; i < keep; ++i) items.push_back(Item(sorted[i]));
  return items;
}

}  // namespace stepscope
