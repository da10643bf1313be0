#pragma once

#include "diff/diff.h"

namespace stepscope::diff {

// Fills Diff::verdict from metrics and nodes. Device and host evidence are judged apart: where a
// side has one run, the step is slower or faster only if the device's work is.
void GiveVerdict(Diff& diff);

enum class GateOn : uint8_t { kSlower, kSlowerOrCannotTell, kMemory, kNewFinding };
std::optional<GateOn> GateNamed(std::string_view name);

struct Gate {
  enum class State : uint8_t { kOff, kPassed, kFailed };
  State state = State::kOff;
  bool asked = false;            // a gate was wanted, though it may be off
  std::vector<std::string> why;  // ids of metrics, rules
};
std::string_view NameOf(Gate::State state);

// Whether the change may merge.
Gate CheckGate(const Diff& diff, const std::vector<GateOn>& fail_on);

// "+6.9 %", "−4.6 %"; "new" where there is no base.
std::string SignedPercent(const Comparison& compared);

}  // namespace stepscope::diff
