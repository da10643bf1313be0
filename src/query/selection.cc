#include "query/selection.h"

#include <fmt/format.h>

#include <limits>

namespace stepscope::query {
namespace {

class Rows : public RowTaker {
 public:
  void Columns(const std::vector<std::string>&) override {}
  bool Row(std::span<const Value> row) override {
    rows.push_back(static_cast<uint32_t>(row[0].integer));
    return true;
  }
  std::vector<uint32_t> rows;
};

bool Has(const SqlTable& table, std::string_view column) { return table.Find(column).has_value(); }

std::string StepCondition(const SqlTable& table, const RowSelection& selection) {
  if (!selection.first_step && !selection.last_step) return {};
  const std::string steps =
      fmt::format("FROM step WHERE number BETWEEN {} AND {} AND trace_id = t.trace_id",
                  selection.first_step.value_or(std::numeric_limits<int64_t>::min()),
                  selection.last_step.value_or(std::numeric_limits<int64_t>::max()));
  if (table.name() == "step") {
    return fmt::format("t.step_id IN (SELECT step_id {})", steps);
  }
  if (Has(table, "step_id")) return fmt::format("t.step_id IN (SELECT step_id {})", steps);
  if (Has(table, "slice_id")) {
    return fmt::format(
        "(SELECT step_id FROM slice WHERE slice.id = t.slice_id) IN (SELECT step_id {})", steps);
  }
  if (table.name() == "flow") {
    return fmt::format(
        "(SELECT step_id FROM slice WHERE slice.id = t.slice_out) IN (SELECT step_id {})", steps);
  }
  if (Has(table, "ts")) {
    return fmt::format("t.ts BETWEEN (SELECT min(ts) {0}) AND (SELECT max(ts + dur) {0})", steps);
  }
  return {};
}

std::string DeviceCondition(const SqlTable& table, const std::string& device) {
  if (device.empty()) return {};
  const std::string index = device.substr(device.find(':') + 1);
  if (table.name() == "slice") {
    return fmt::format(
        "coalesce((SELECT device FROM track WHERE track.id = t.track_id), {0}) = {0}", index);
  }
  if (table.name() == "collective") {
    return fmt::format("(SELECT device FROM kernel WHERE kernel.slice_id = t.slice_id) = {}",
                       index);
  }
  const std::optional<size_t> column = table.Find("device");
  if (!column) return {};
  return table.columns()[*column].type == tables::CellType::kInt
             ? fmt::format("coalesce(t.device, {0}) = {0}", index)
             : fmt::format("t.device = '{}'", device);
}

}  // namespace

SqlResult<std::optional<std::vector<uint32_t>>> SelectedRows(Database& database,
                                                             const SqlTable& table,
                                                             const RowSelection& selection) {
  const std::string step = StepCondition(table, selection);
  const std::string device = DeviceCondition(table, selection.device);
  if (step.empty() && device.empty()) return std::nullopt;
  Rows taken;
  const SqlResult<QueryOutcome> outcome =
      database.Run(fmt::format("SELECT t.rowid FROM \"{}\" t WHERE {}{}{} ORDER BY 1", table.name(),
                               step, step.empty() || device.empty() ? "" : " AND ", device),
                   {}, taken);
  if (!outcome) return std::unexpected(outcome.error());
  return std::move(taken.rows);
}

}  // namespace stepscope::query
