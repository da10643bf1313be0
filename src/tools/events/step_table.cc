#include "tools/events/step_table.h"

#include <algorithm>
#include <iterator>

namespace stepscope {

StepTable TableOfSteps(const std::vector<RunLog>& runs) {
  struct Column {
    const std::vector<ScalarPoint>* points;
  };
  StepTable table;
  std::vector<Column> columns;
  std::vector<int64_t> steps;
  for (const RunLog& run : runs) {
    for (const TagSeries& series : run.tags) {
      if (series.kind != TagKind::kScalar || series.scalars.empty()) continue;
      table.columns.push_back(runs.size() > 1 ? run.name + ":" + series.tag : series.tag);
      columns.push_back({&series.scalars});
      std::ranges::transform(series.scalars, std::back_inserter(steps), &ScalarPoint::step);
    }
  }
  std::ranges::sort(steps);
  steps.erase(std::unique(steps.begin(), steps.end()), steps.end());
  for (const int64_t step : steps) {
    table.rows.push_back({step, std::vector<std::optional<double>>(columns.size())});
  }
  for (size_t c = 0; c < columns.size(); ++c) {
    for (const ScalarPoint& point : *columns[c].points) {
      const auto row = std::ranges::lower_bound(table.rows, point.step, {}, &StepTable::Row::step);
      row->cells[c] = point.value;
    }
  }
  return table;
}

}  // namespace stepscope
