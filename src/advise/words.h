#pragma once

#include <cstdint>
#include <string_view>

namespace stepscope {

enum class Framework : uint8_t;  // advise/evidence.h

// What people read about a rule: `stepscope explain RULE` and the fixed parts of its findings. One
// entry per rule, in words_*.cc by group.
struct RuleWords {
  std::string_view rule{};
  std::string_view symptom{};    // one sentence
  std::string_view detection{};  // how it is told from the profile
  std::string_view threshold{};  // the limits and whose they are
  std::string_view saving{};     // what the interval means
  std::string_view pytorch, tensorflow, jax,
      onnx_runtime;  // what to write; empty: does not apply there
  std::string_view false_alarms{};
  std::string_view refuted_by{};  // what would show that the finding is wrong
  std::string_view sources{};
};

// Every rule has words; a test checks it.
const RuleWords& WordsOf(std::string_view rule);
// The fix for a framework, else the first framework's that has one.
std::string_view FixOf(std::string_view rule, Framework framework);

}  // namespace stepscope
