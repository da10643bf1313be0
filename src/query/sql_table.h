#pragma once

#include <atomic>
#include <cstdint>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "query/column_index.h"
#include "query/names.h"
#include "tables/column.h"

namespace stepscope::query {

class SqlTable;

// The rows of one trace.
struct TablePart {
  tables::TableRows rows;
  uint32_t first = 0;     // their place among the rows of all traces
  uint32_t trace_id = 0;  // place of the trace in the study
  uint32_t size() const { return rows.source.count; }
};

struct SqlColumn {
  std::string_view name;
  const tables::Column* declared = nullptr;  // null: the trace_id that the list lacks
  tables::CellType type = tables::CellType::kInt;
  bool hidden = false;
  bool row_number = false;
  bool trace_id = false;
  bool nullable = false;
  // Whose row numbers the values are: those of trace t get BaseOf(t) added. May be the table
  // itself; null: values stay as they are.
  const SqlTable* target = nullptr;
};

// Reads one column of one part: straight from the engine's memory where the column lies there.
class ColumnReader {
 public:
  ColumnReader(const SqlTable& table, size_t column, const TablePart& part);

  // Keys are integers: values, canonical names, codes. Only where has_keys().
  bool has_keys() const { return how_ != How::kCell; }
  std::optional<int64_t> Key(uint32_t row) const;
  // The same of many rows, 0 where there is none; `valid` may be null where the column never is.
  void Keys(uint32_t first, uint32_t count, int64_t* keys, uint8_t* valid) const;
  // Codes of an enum, whose names the column knows.
  bool has_codes() const { return how_ == How::kCode; }
  // Cells of many rows of a column that does not lie in memory, as the engine has them.
  void Cells(uint32_t first, uint32_t count, tables::ColumnValues& out) const;
  // The value; text stays valid as long as the table, or until the next call where it is in
  // scratch().
  tables::Cell Read(uint32_t row);
  const std::string& scratch() const { return scratch_; }

 private:
  enum class How : uint8_t { kTraceId, kRow, kWide, kHalf, kShort, kByte, kName, kCode, kCell };
  How how_ = How::kCell;
  bool nullable_ = false;
  int64_t add_ = 0;
  const void* data_ = nullptr;
  const tables::Column* column_ = nullptr;
  tables::RowSource source_;
  const Names* names_ = nullptr;
  const StringTable* strings_ = nullptr;
  uint32_t trace_ = 0;
  std::string scratch_;
};

// A table as SQL sees it: the declared columns over the rows of every trace, one trace after
// another. Row numbers count through all traces, and so do columns that refer to rows, so that
// joins never mix traces. Rows and indexes are made on first need; safe for several threads.
class SqlTable {
 public:
  using MakeRows = std::function<tables::TableRows(size_t trace)>;
  using FindTable = std::function<const SqlTable*(std::string_view name)>;

  SqlTable(std::string name, tables::Words meaning, tables::Columns columns, size_t traces,
           MakeRows make, const Names& names);
  // Once all tables are there.
  void Resolve(const FindTable& find);

  const std::string& name() const { return name_; }
  const tables::Words& meaning() const { return meaning_; }
  const std::vector<SqlColumn>& columns() const { return columns_; }
  std::optional<size_t> Find(std::string_view column) const;
  const Names& names() const { return names_; }

  const std::vector<TablePart>& parts() const;
  uint32_t size() const;
  uint32_t BaseOf(size_t trace) const { return parts()[trace].first; }
  const TablePart& PartOf(uint32_t row) const;

  // Made when first asked for. Columns of real numbers have none.
  bool Indexable(size_t column) const;
  bool HasIndex(size_t column) const { return indexes_[column]->ready; }
  const ColumnIndex& IndexOf(size_t column) const;
  // All rows by the value of the column as ORDER BY has it; null comes first.
  std::span<const uint32_t> InOrder(size_t column) const;
  // The key of a text in such an index; none where no row can have it.
  std::optional<int64_t> KeyOf(size_t column, std::string_view text) const;
  // Whether rows with equal values in this column ascend in time; makes the index.
  bool AscendsInTime(size_t column) const;
  // Whether Key() of readers works and says all: every text has one key.
  bool HasKeys(size_t column) const;

 private:
  struct LazyIndex {
    std::once_flag once;
    std::atomic<bool> ready = false;
    std::unique_ptr<const ColumnIndex> index;
    StringTable texts;              // of columns whose texts have no keys of their own
    std::vector<uint32_t> by_text;  // of columns of texts: rows in the order of these
    std::once_flag time_once;
    bool ascends_in_time = false;
  };
  void MakeIndex(size_t column, LazyIndex& into) const;
  bool FindAscending(size_t column, const ColumnIndex& index) const;
  ColumnKeys KeysOf(size_t column, StringTable& texts) const;
  std::vector<uint32_t> RowsByText(size_t column, const ColumnKeys& keys,
                                   const LazyIndex& of) const;

  const std::string name_;
  const tables::Words meaning_;
  std::vector<SqlColumn> columns_;
  const size_t traces_;
  const MakeRows make_;
  const Names& names_;
  mutable std::once_flag parts_made_;
  mutable std::vector<TablePart> parts_;
  std::vector<std::unique_ptr<LazyIndex>> indexes_;
};

}  // namespace stepscope::query
