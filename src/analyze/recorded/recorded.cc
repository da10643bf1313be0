#include "analyze/recorded/recorded.h"

#include <algorithm>
#include <tuple>

namespace stepscope {

std::vector<PythonRow> AnalyzePython(const Recorded& recorded) {
  std::vector<PythonRow> rows(recorded.lines.size());
  for (size_t i = 0; i < rows.size(); ++i) {
    rows[i].function = recorded.lines[i].function;
    rows[i].file = recorded.lines[i].file;
    rows[i].line = recorded.lines[i].line;
  }
  std::vector<uint64_t> seen(rows.size(), 0);  // by the sample that last showed the line
  uint64_t number = 0;
  for (const PythonSample& sample : recorded.samples) {
    if (sample.waiting) continue;
    ++number;
    rows[recorded.stacks[sample.stack].line].self += sample.weight;
    for (uint32_t at = sample.stack; at != kNoRow; at = recorded.stacks[at].caller) {
      const uint32_t line = recorded.stacks[at].line;
      if (seen[line] == number) continue;
      seen[line] = number;
      ++rows[line].samples;
      rows[line].total += sample.weight;
    }
  }
  std::erase_if(rows, [](const PythonRow& row) { return row.samples == 0; });
  std::sort(rows.begin(), rows.end(), [](const PythonRow& a, const PythonRow& b) {
    return std::tie(b.self, b.total, a.file, a.line, a.function) <
           std::tie(a.self, a.total, b.file, b.line, b.function);
  });
  return rows;
}

UnprofiledSteps FindUnprofiledSteps(const Recorded& recorded) {
  std::vector<DurationNs> durations;
  for (const RecordedStep& step : recorded.steps) {
    if (!step.profiled) durations.push_back(step.duration);
  }
  UnprofiledSteps steps;
  steps.count = durations.size();
  if (durations.empty()) return steps;
  const auto middle = durations.begin() + static_cast<ptrdiff_t>((durations.size() - 1) / 2);
  std::nth_element(durations.begin(), middle, durations.end());
  steps.median = *middle;
  return steps;
}

}  // namespace stepscope
