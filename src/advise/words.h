#pragma once

#include <cstdint>
#include <string_view>

#include "base/message.h"

// What people read about a rule: `stepscope explain RULE` and the fixed parts of its findings. The
// texts are in words/, with the ids RULE.PART.
namespace stepscope {

class Limits;                    // advise/thresholds.h
enum class Framework : uint8_t;  // advise/evidence.h

// A part of a rule's words: symptom, detection, threshold, saving, pytorch, tensorflow, jax,
// onnx_runtime, other, false_alarms, refuted_by, sources. Limits in it have the values in force.
// Empty where the rule has no such part.
Message RuleText(std::string_view rule, std::string_view part, const Limits& limits);
// The fix for a framework. Where the profile names none: the fix for other programs, else that of
// the first framework that has one, with its name before it.
Message FixOf(std::string_view rule, Framework framework);

}  // namespace stepscope
