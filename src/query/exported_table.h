#pragma once

#include <optional>
#include <string>
#include <vector>

#include "export/table_source.h"
#include "query/query_tables.h"

namespace stepscope::query {

// A table as it leaves: its own columns without the hidden ones, and what a reader would else have
// to join: the track of slices, the time of day, path and rank of the profile. Reads the engine's
// memory; the tables have to stay.
class ExportedTable : public exported::TableSource {
 public:
  // Only these rows, ascending, where there is a selection.
  ExportedTable(const QueryTables& tables, const SqlTable& table,
                std::optional<std::vector<uint32_t>> selected = std::nullopt);

  const std::vector<exported::ColumnSpec>& columns() const override { return specs_; }
  uint64_t rows() const override { return selected_ ? selected_->size() : table_.size(); }
  void Fill(size_t column, uint64_t first, uint32_t count,
            exported::ColumnData& out) const override;

 private:
  // Where a column comes from.
  struct Origin {
    const SqlTable* table = nullptr;  // of the value
    size_t column = 0;
    std::optional<size_t> key;  // of table_: the row of the other table
    bool since_epoch = false;   // ts + start_unix_ns
  };
  void Add(std::string name, const Origin& origin, bool nullable);
  void AddTrackColumns(const QueryTables& tables);
  void AddTraceColumns(const QueryTables& tables);
  void FillOwn(const SqlTable& table, size_t column, uint64_t first, uint32_t count,
               bool use_selection, exported::ColumnData& out) const;
  void FillJoined(const Origin& origin, uint64_t first, uint32_t count,
                  exported::ColumnData& out) const;

  const SqlTable& table_;
  const std::optional<std::vector<uint32_t>> selected_;
  std::vector<exported::ColumnSpec> specs_;
  std::vector<Origin> origins_;
};

// The name of a table outside of SQL: "slices" of slice. Tables of the report, whose names are
// taken by those of the trace, are "report_kernels" and so on.
std::string ExportName(const SqlTable& table);
// Tables that are exported where none is asked for: those of the trace, and findings.
bool IsExportedByDefault(const SqlTable& table);

}  // namespace stepscope::query
