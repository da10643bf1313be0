#include "advise/layout_rules.h"

#include <algorithm>
#include <cmath>
#include <string_view>

#include "advise/device_use.h"
#include "advise/reordering.h"
#include "advise/rule_tools.h"
#include "words/kernel.h"

namespace stepscope {
namespace {

constexpr SayFrom<kKernelTexts> Say;

// PyTorch's own depthwise kernels read NCHW; in 16 bit and channels_last cuDNN's take their place.
bool DepthwiseInPlanes(std::string_view kernel) {
  return kernel.find("conv_depthwise") != std::string_view::npos &&
         (kernel.find("BFloat16") != std::string_view::npos ||
          kernel.find("Half") != std::string_view::npos);
}

// Kernels between the convolutions, in channels-last against channels-first of the same shape:
// PyTorch's own batch normalisation starts one block for each channel in channels-first.
constexpr double kNormAtLeast = 0.6;
constexpr double kNormAtBest = 0.25;
constexpr double kOtherAtBest = 0.5;
// Depthwise convolutions of 7 × 7 on an H200 took a sixth of the time.
constexpr double kDepthwiseAtLeast = 0.6;
constexpr double kDepthwiseAtBest = 0.15;

}  // namespace

RuleVerdict ConvLayout(const Evidence& e) {
  if (!Gpu(e)) return Quiet{};
  if (!e.Occurs(NameTag::kConvolution)) return Quiet{};
  const std::vector<StepSpan> transposes = e.With(e.kernels(), NameTag::kTranspose);
  const bool to_channels_last = std::any_of(
      transposes.begin(), transposes.end(),
      [&](const StepSpan& span) { return Has(e.TagsOfSpan(span), NameTag::kToChannelsLast); });
  std::vector<StepSpan> planes;
  for (const StepSpan& span : e.kernels()) {
    if (DepthwiseInPlanes(e.trace.Name(span.slice))) planes.push_back(span);
  }
  const DurationNs time = TimeOf(e, transposes);
  const DurationNs depthwise = TimeOf(e, planes);
  const bool between = to_channels_last && e.Share(time) >= e.limits[Limit::kTransposeShare];
  if (!between && e.Share(depthwise) < e.limits[Limit::kTransposeShare]) return Quiet{};
  const HardwareRow* gpu = PeakRates(e);
  if (gpu == nullptr) return NeedsGpuModel();
  if (gpu->tensor_tflops_16 == 0) return Quiet{};
  Fires fires;
  fires.title = between ? Say("conv-layout-nonpreferred.title", OfEachStep(e, time))
                        : Say("conv-layout-nonpreferred.depthwise", OfEachStep(e, depthwise));
  fires.sentence = between ? Say("conv-layout-nonpreferred.because", NameOfGpu(e))
                           : Say("conv-layout-nonpreferred.planes");
  fires.changes = ChangesOf(transposes, ChangeType::kRemove);
  fires.changes_most = fires.changes;
  double gain = 0;
  for (const StepSpan& span : e.kernels()) {
    const KernelCategory category = e.trace.Traits(span.slice).category;
    const bool by_channel = Has(e.TagsOfSpan(span), NameTag::kNormByChannel);
    if (DepthwiseInPlanes(e.trace.Name(span.slice))) {
      fires.changes.push_back({SliceId{span.slice}, ChangeType::kScale, kDepthwiseAtLeast});
      fires.changes_most.push_back({SliceId{span.slice}, ChangeType::kScale, kDepthwiseAtBest});
      gain += (1 - kDepthwiseAtBest) * static_cast<double>(e.trace.slices.duration[span.slice].ns);
      continue;
    }
    if (!by_channel && category != KernelCategory::kNormalization &&
        category != KernelCategory::kPooling) {
      continue;
    }
    const SliceId kernel{span.slice};
    const double best = by_channel ? kNormAtBest : kOtherAtBest;
    if (by_channel) fires.changes.push_back({kernel, ChangeType::kScale, kNormAtLeast});
    fires.changes_most.push_back({kernel, ChangeType::kScale, best});
    gain += (1 - best) * static_cast<double>(e.trace.slices.duration[span.slice].ns);
  }
  fires.saving_hi = time + e.PerStep(DurationNs{std::llround(gain)});
  fires.evidence = e.Longest(between ? transposes : planes);
  return fires;
}

RuleVerdict LayoutTranspose(const Evidence& e) {
  // Without a device its kernels are the ops themselves.
  Reordering found;
  if (e.has_device_work()) {
    found = ReorderingOf(e);
  } else {
    found.kernels = Outermost(e, e.HostSpans(NameTag::kTranspose));
  }
  const DurationNs time =
      e.has_device_work() ? TimeOf(e, found.kernels) : UnionOf(e, found.kernels);
  if (e.Share(time) < e.limits[Limit::kTransposeShare]) return Quiet{};
  Fires fires;
  fires.title = Say("layout-transpose-overhead.title", OfEachStep(e, time));
  fires.sentence =
      Say("layout-transpose-overhead.because",
          CountedInStep(e, static_cast<double>(found.kernels.size()) / e.step_count()));
  // The calls go with their kernels.
  fires.saving_hi = std::min(time + ExposedHost(e, found.calls), e.step());
  fires.changes = ChangesOf(found.kernels, ChangeType::kRemove);
  for (const Change& change : ChangesOf(found.calls, ChangeType::kRemove)) {
    fires.changes.push_back(change);
  }
  fires.evidence = e.Longest(found.kernels);
  return fires;
}

}  // namespace stepscope
