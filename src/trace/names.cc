#include "trace/names.h"

#include <utility>

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

}  // namespace stepscope
