#pragma once

#include <cstdint>
#include <span>
#include <string_view>

#include "trace/names.h"

namespace stepscope {

// What a pattern says of the names it occurs in; several may say something of one name.
enum NameFact : uint32_t {
  kIsCommunication = 1U << 0,
  kUsesTensorCores = 1U << 1,
  kUsesNoTensorCores = 1U << 2,  // wins over kUsesTensorCores
  kIsTensorCoreEligible = 1U << 3,
  kIsInputStage = 1U << 4,
  kIsStepMarker = 1U << 5,
  kIsLaunchCall = 1U << 6,
  kIsCopyCall = 1U << 7,
  kIsSyncCall = 1U << 8,
  kIsAllocCall = 1U << 9,
  kIsCompile = 1U << 10,
  kIsOptimizer = 1U << 11,
  kIsBackward = 1U << 12,
  kWaitsForCommunication = 1U << 13,
};

// A piece of a name in lower case; '^' stands for its beginning and '$' for its end. Names are
// compared in lower case.
struct NamePattern {
  std::string_view text;
  uint32_t facts = 0;
  KernelCategory category = KernelCategory::kOther;
};

// All patterns. Of several categories that match, the one that stands first here holds.
std::span<const NamePattern> NamePatterns();

}  // namespace stepscope
