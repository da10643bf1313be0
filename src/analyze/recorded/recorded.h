#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "base/time.h"
#include "trace/recorded.h"

// What a recording adds to a report: the lines of Python that samples found, and what a step takes
// without the profiler.
namespace stepscope {

// A line of Python in sampled stacks: on top (self), anywhere on the stack (total).
struct PythonRow {
  std::string function, file;
  int32_t line = 0;
  uint64_t samples = 0;  // that show it on the stack
  DurationNs self, total;
};

// One row per line of code. Samples of sleeping threads other than the main one are left out: they
// wait for work, which is not where time goes. A line that recurs on a stack counts once.
std::vector<PythonRow> AnalyzePython(const Recorded& recorded);

// The steps in which no profiler ran.
struct UnprofiledSteps {
  std::optional<DurationNs> median;  // the lower middle
  uint64_t count = 0;
};
UnprofiledSteps FindUnprofiledSteps(const Recorded& recorded);

}  // namespace stepscope
