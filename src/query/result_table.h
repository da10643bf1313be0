#pragma once

#include <vector>

#include "base/string_table.h"
#include "export/table_source.h"
#include "query/database.h"

namespace stepscope::query {

// The rows of a query, kept by column: 8 bytes a number, 4 a text and each distinct text once.
// A column is of integers, reals or texts, whichever holds all of its values.
class ResultTable : public RowTaker, public exported::TableSource {
 public:
  void Columns(const std::vector<std::string>& names) override;
  bool Row(std::span<const Value> row) override;

  const std::vector<exported::ColumnSpec>& columns() const override { return specs_; }
  uint64_t rows() const override { return rows_; }
  void Fill(size_t column, uint64_t first, uint32_t count,
            exported::ColumnData& out) const override;

 private:
  struct Kept {
    std::vector<int64_t> integers;
    std::vector<double> reals;
    std::vector<uint32_t> codes;
    std::vector<uint8_t> valid;
  };
  void Widen(size_t column, exported::ColumnSpec::Type to);

  std::vector<exported::ColumnSpec> specs_;
  std::vector<Kept> kept_;
  StringTable texts_;
  uint64_t rows_ = 0;
};

}  // namespace stepscope::query
