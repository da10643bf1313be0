#include "analyze/counters/counters.h"

#include <algorithm>

namespace stepscope {

std::vector<CounterRow> AnalyzeCounters(const Trace& trace) {
  std::vector<CounterRow> rows;
  const CounterSample* previous = nullptr;
  double sum = 0;
  for (const CounterSample& sample : trace.counters) {
    const bool same = previous != nullptr && previous->process == sample.process &&
                      previous->name == sample.name && previous->series == sample.series;
    if (!same) {
      rows.push_back({sample.name, sample.series, 0, sample.value, sample.value, 0, 0});
      sum = 0;
    }
    CounterRow& row = rows.back();
    ++row.samples;
    row.min = std::min(row.min, sample.value);
    row.max = std::max(row.max, sample.value);
    row.last = sample.value;
    sum += sample.value;
    row.mean = sum / static_cast<double>(row.samples);
    previous = &sample;
  }
  return rows;
}

}  // namespace stepscope
