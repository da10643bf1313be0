#include <algorithm>
#include <array>
#include <vector>

#include "advise/rule_tools.h"
#include "base/flat_index.h"
#include "words/other.h"

namespace stepscope {
namespace {

constexpr SayFrom<kOtherTexts> Say;

RuleVerdict OrtNoIobinding(const Evidence& e) {
  if (e.framework != Framework::kOnnxRuntime) return Quiet{};
  const std::vector<StepSpan> copies = e.HostSpans(NameTag::kOrtMemcpy);
  const DurationNs time = UnionOf(e, copies);
  const bool logged = e.log != nullptr && e.log->ort_memcpy_nodes.value_or(0) > 0;
  if (e.Share(time) < e.limits[Limit::kOrtCopyShare] && !logged) return Quiet{};
  Fires fires;
  fires.title = copies.empty() ? Say("ort-no-iobinding.logged", *e.log->ort_memcpy_nodes)
                               : Say("ort-no-iobinding.title", OfEachStep(e, time));
  fires.sentence = Say("ort-no-iobinding.because");
  fires.saving_hi = time;
  fires.gate = time.ns == 0;
  fires.at_most = fires.gate ? FindingSeverity::kLow : FindingSeverity::kHigh;
  fires.changes = ChangesOf(copies, ChangeType::kRemove);
  fires.evidence = e.Longest(copies);
  return fires;
}

RuleVerdict NanSource(const Evidence& e) {
  if (e.log != nullptr && !e.log->not_finite.empty()) {
    Fires fires;
    fires.gate = true;
    fires.at_most = FindingSeverity::kHigh;
    fires.title = Say("nan-source.title");
    fires.sentence = Verbatim(e.log->not_finite.front());
    return fires;
  }
  // Under a gradient scaler a step without optimizer work was skipped because of an overflow.
  if (!e.Occurs(NameTag::kFoundInf)) {
    if (e.log != nullptr) return Quiet{};
    return CannotTell{Say("nan-source.needs")};
  }
  std::vector<bool> updated(e.step_count(), false);
  for (const StepSpan& span : e.optimizer_spans()) updated[span.window] = true;
  const auto skipped = static_cast<double>(std::count(updated.begin(), updated.end(), false));
  if (skipped == 0 || skipped / e.step_count() < e.limits[Limit::kSkippedSteps] ||
      skipped == e.step_count())
    return Quiet{};
  Fires fires;
  fires.title = Say("nan-source.skipped", skipped, e.step_count());
  fires.sentence = Say("nan-source.skipped.because");
  fires.saving_hi = {
      static_cast<int64_t>(static_cast<double>(e.step().ns) * skipped / e.step_count())};
  fires.confidence = Confidence::kMedium;
  return fires;
}

RuleVerdict ClockThrottling(const Evidence& e) {
  if (!e.has_device_work() || e.step_count() < 4) return Quiet{};
  // The same kernel with the same grid early and late: medians of the first and the last quarter of
  // the steps.
  struct Sample {
    std::vector<int64_t> early, late;
  };
  std::vector<Sample> kernels;
  FlatIndex by_width, by_height, by_grid;
  const uint32_t quarter = std::max(1U, e.step_count() / 4);
  for (const StepSpan& span : e.kernels()) {
    if (span.window >= quarter && span.window < e.step_count() - quarter) continue;
    const DeviceArgs& args = e.trace.DeviceOf(span.slice);
    const auto pair = [](uint32_t a, uint32_t b) { return uint64_t{a} << 32 | b; };
    const uint32_t wide = by_width.Of(pair(Index(e.trace.slices.name[span.slice]), args.grid[0]));
    const uint32_t high = by_height.Of(pair(wide, args.grid[1]));
    const uint32_t kernel = by_grid.Of(pair(high, args.grid[2]));
    if (kernel == kernels.size()) kernels.emplace_back();
    Sample& sample = kernels[kernel];
    if (span.window < quarter) sample.early.push_back(e.trace.slices.duration[span.slice].ns);
    if (span.window >= e.step_count() - quarter)
      sample.late.push_back(e.trace.slices.duration[span.slice].ns);
  }
  const auto middle = [](std::vector<int64_t>& values) {
    const auto at = values.begin() + static_cast<ptrdiff_t>((values.size() - 1) / 2);
    std::nth_element(values.begin(), at, values.end());
    return *at;
  };
  double before = 0;
  double after = 0;
  uint64_t slower = 0;
  uint64_t all = 0;
  for (Sample& sample : kernels) {
    if (sample.early.size() < 2 || sample.late.size() < 2) continue;
    const int64_t early = middle(sample.early);
    const int64_t late = middle(sample.late);
    if (early < 5'000) continue;  // too short to tell
    const auto calls = static_cast<double>(sample.late.size());
    before += static_cast<double>(early) * calls;
    after += static_cast<double>(late) * calls;
    ++all;
    slower +=
        static_cast<double>(late) > static_cast<double>(early) * (1 + e.limits[Limit::kClockDrop])
            ? 1
            : 0;
  }
  // A lower clock slows most kernels, not a few.
  if (all < 3 || before == 0 || after < before * (1 + e.limits[Limit::kClockDrop]) ||
      slower * 3 < all * 2)
    return Quiet{};
  const DurationNs lost{static_cast<int64_t>((after - before) / quarter)};
  Fires fires;
  fires.title = Say("clock-throttling.title", after / before - 1);
  fires.sentence = Say("clock-throttling.because", slower, all);
  fires.saving_hi = lost;
  fires.confidence = Confidence::kMedium;
  fires.at_most = FindingSeverity::kMedium;
  return fires;
}

RuleVerdict StepTimeOutliers(const Evidence& e) {
  if (e.step_count() < 5 || e.step_deviation().ns == 0) return Quiet{};
  DurationNs sum{};
  std::vector<const Window*> outliers;
  for (const Window& window : e.windows()) {
    sum += window.time.length();
    const double z = 0.6745 * static_cast<double>((window.time.length() - e.step()).ns) /
                     static_cast<double>(e.step_deviation().ns);
    // Several times slower, not merely outside a narrow spread.
    if (z > e.limits[Limit::kOutlierZ] && window.time.length().ns > 2 * e.step().ns)
      outliers.push_back(&window);
  }
  if (outliers.empty()) return Quiet{};
  const DurationNs extra{sum.ns / static_cast<int64_t>(e.step_count()) - e.step().ns};
  Fires fires;
  const auto worst = *std::max_element(
      outliers.begin(), outliers.end(),
      [](const Window* a, const Window* b) { return a->time.length() < b->time.length(); });
  fires.title = Say("step-time-outliers.title", outliers.size(), e.step_count(),
                    worst->time.length(), e.step());
  fires.sentence = Say("step-time-outliers.because", extra);
  fires.saving_hi = std::max(extra, DurationNs{});
  fires.as_recorded = true;
  DurationNs least = worst->time.length();
  DurationNs longer{};
  for (const Window* window : outliers) {
    least = std::min(least, window->time.length());
    longer += window->time.length() - e.step();
  }
  const Rare rare = RareCost(e, least - e.step(), longer, outliers.size());
  fires.saving_hi = std::max(rare.hi, DurationNs{});
  fires.lo_at_least = rare.lo;
  fires.saving_note = Say("step-time-outliers.note");
  for (const Window* window : outliers) {
    if (fires.evidence.size() == 3) break;
    fires.evidence.push_back({.device = {},
                              .rank = e.trace.facts.rank,
                              .step = e.linked.steps.items[window->step].number,
                              .start = window->time.start,
                              .length = window->time.length(),
                              .events = {}});
  }
  return fires;
}

constexpr std::array kRules{
    Rule{"step-time-outliers", RuleGroup::kHost, "", StepTimeOutliers, Role::kSymptom},
    Rule{"ort-no-iobinding", RuleGroup::kOther, "", OrtNoIobinding},
    Rule{"nan-source", RuleGroup::kOther, "", NanSource},
    Rule{"clock-throttling", RuleGroup::kOther, "", ClockThrottling},
};

}  // namespace

std::span<const Rule> OtherRules() { return kRules; }

}  // namespace stepscope
