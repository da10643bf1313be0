#include <algorithm>
#include <vector>

#include "trace/name_matcher.h"
#include "trace/name_patterns.h"
#include "trace/names.h"

namespace stepscope {
namespace {

constexpr uint16_t kNoPattern = 0xFFFF;

struct Said {
  uint32_t facts = 0;
  uint16_t first = kNoPattern;  // the first pattern of the table, among those with a category

  Said& operator|=(const Said& other) {
    facts |= other.facts;
    first = std::min(first, other.first);
    return *this;
  }
};

std::vector<NameMatcher<Said>::Pattern> AllPatterns() {
  std::vector<NameMatcher<Said>::Pattern> all;
  for (const NamePattern& pattern : NamePatterns()) {
    const bool has_category = pattern.category != KernelCategory::kOther;
    const auto index = static_cast<uint16_t>(all.size());
    all.emplace_back(pattern.text, Said{pattern.facts, has_category ? index : kNoPattern});
  }
  return all;
}

}  // namespace

NameTraits TraitsOf(std::string_view name) {
  static const NameMatcher<Said> kMatcher(AllPatterns(), LetterCase::kIgnored);
  const Said match = kMatcher.Find(name);
  const auto has = [&](uint32_t fact) { return (match.facts & fact) != 0; };
  NameTraits traits;
  if (match.first != kNoPattern) traits.category = NamePatterns()[match.first].category;
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
