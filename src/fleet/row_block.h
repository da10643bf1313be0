#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "base/string_table.h"
#include "export/table_source.h"
#include "fleet/fleet_tables.h"

namespace stepscope::fleet {

// All rows of one file as bytes, table by table and column by column: what a worker sends.
std::string EncodeRows(const FileRows& rows);
// Those of one table.
std::string EncodeTable(const Table& table, const FileRows& rows);

// Rows of many files of one table. Texts are kept once.
class BatchTable final : public exported::TableSource {
 public:
  explicit BatchTable(const Table& table);

  // Takes the rows of this table off the front of a block. False where it ends too early.
  bool Append(std::string_view& block);

  const Table& table() const { return table_; }
  const std::vector<exported::ColumnSpec>& columns() const override { return specs_; }
  uint64_t rows() const override { return rows_; }
  void Fill(size_t column, uint64_t first, uint32_t count,
            exported::ColumnData& out) const override;

 private:
  struct Stored {
    std::vector<int64_t> integers;  // numbers, truths and places in `texts`
    std::vector<double> reals;
    std::vector<uint8_t> valid;
    StringTable texts;
  };

  const Table& table_;
  std::vector<exported::ColumnSpec> specs_;
  std::vector<Stored> stored_;
  uint64_t rows_ = 0;
};

}  // namespace stepscope::fleet
