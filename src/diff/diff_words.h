#pragma once

#include <string>
#include <string_view>

#include "diff/diff.h"

// Words and numbers that all forms for people share.
namespace stepscope::diff {

Message InWords(Outcome outcome);
// Of a metric: bytes and counts become more or less, not slower or faster.
Message InWords(const Metric& metric);
Message InWords(State state);  // empty for kMatched

// "+6.1 ms", "-850 ns", "0 ns".
std::string SignedDuration(int64_t ns);
// A value or a difference of a metric in its unit.
std::string ValueIn(std::string_view unit, int64_t value);
std::string ChangeIn(std::string_view unit, int64_t change);
// What became of a node: its state where that is news, else its result.
Message ResultOf(const Node& node);
// "flash_fwd → fmha (2 for 1)": how the kernels of a node changed; empty where they did not.
std::string KernelsChanged(const Node& node);

size_t StepsOf(const std::vector<Run>& runs);

}  // namespace stepscope::diff
