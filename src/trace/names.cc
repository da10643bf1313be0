#include "trace/names.h"

#include <utility>

#include "trace/name_matcher.h"
#include "trace/name_patterns.h"

namespace stepscope {

std::string_view NameOf(KernelCategory category) {
  switch (category) {
    case KernelCategory::kOther:
      return "other";
    case KernelCategory::kGemm:
      return "gemm";
    case KernelCategory::kConvolution:
      return "convolution";
    case KernelCategory::kAttention:
      return "attention";
    case KernelCategory::kNormalization:
      return "normalization";
    case KernelCategory::kSoftmax:
      return "softmax";
    case KernelCategory::kElementwise:
      return "elementwise";
    case KernelCategory::kReduction:
      return "reduction";
    case KernelCategory::kPooling:
      return "pooling";
    case KernelCategory::kEmbedding:
      return "embedding";
    case KernelCategory::kOptimizer:
      return "optimizer";
    case KernelCategory::kRandom:
      return "random";
    case KernelCategory::kSort:
      return "sort";
    case KernelCategory::kTranspose:
      return "transpose";
    case KernelCategory::kCommunication:
      return "communication";
    case KernelCategory::kCopy:
      return "memcpy";
    case KernelCategory::kMemset:
      return "memset";
    case KernelCategory::kTriton:
      return "triton";
  }
  std::unreachable();
}

NameTraits TraitsOf(std::string_view name) {
  static const NameMatcher matcher(NamePatterns());
  const NameMatcher::Match match = matcher.Find(name);
  const auto has = [&](uint32_t fact) { return (match.facts & fact) != 0; };
  NameTraits traits;
  if (match.first != NameMatcher::kNoPattern)
    traits.category = NamePatterns()[match.first].category;
  traits.communication = has(kIsCommunication);
  traits.tensor_core = has(kUsesTensorCores) && !has(kUsesNoTensorCores);
  traits.tensor_core_eligible = has(kIsTensorCoreEligible);
  traits.input_stage = has(kIsInputStage);
  traits.step_marker = has(kIsStepMarker);
  traits.launch_call = has(kIsLaunchCall);
  traits.copy_call = has(kIsCopyCall);
  traits.sync_call = has(kIsSyncCall);
  traits.alloc_call = has(kIsAllocCall);
  traits.compile = has(kIsCompile);
  traits.optimizer = has(kIsOptimizer);
  traits.backward = has(kIsBackward);
  traits.wait_communication = has(kWaitsForCommunication);
  return traits;
}

}  // namespace stepscope
