#pragma once

#include <sqlite3.h>

#include <optional>
#include <span>
#include <string>
#include <vector>

#include "query/plan.h"
#include "query/sql_table.h"

namespace stepscope::query {

// Walks the rows that a plan finds.
class Cursor {
 public:
  explicit Cursor(const SqlTable& table);

  void Start(const Plan& plan, std::span<sqlite3_value*> values);
  bool AtEnd() const { return at_ == end_; }
  void Next() {
    at_ += step_;
    Seek();
  }
  // The value of a column of the current row, to SQLite.
  void Give(sqlite3_context* context, size_t column);
  int64_t row() const { return row_; }

 private:
  // What a row has to have in a column: a key in a range, a key of a set, or none.
  struct Test {
    size_t column = 0;
    enum class Kind : uint8_t { kBetween, kInSet, kNull, kNotNull } kind = Kind::kBetween;
    int64_t low = 0, high = 0;
    size_t set = 0;
  };
  // Names or codes that fit a pattern, by key.
  struct KeySet {
    size_t column = 0;
    uint8_t op = 0;
    std::string pattern;
    std::vector<uint8_t> has;
  };

  void StartWay(const Plan& plan);
  void WalkRows(uint32_t first, uint32_t last);
  void WalkList(std::span<const uint32_t> rows);
  bool AddTest(const Plan::Test& test, sqlite3_value* value, bool leads);
  bool AddTextTest(const Plan::Test& test, sqlite3_value* value, bool leads);
  size_t SetFor(size_t column, uint8_t op, std::string_view pattern);
  void Narrow(const Plan& plan);
  void Seek();
  bool Fits() const;
  ColumnReader& ReaderOf(size_t column) const;
  void EnterPart(uint32_t row) const;

  const SqlTable& table_;
  std::span<const uint32_t> list_;  // rows to walk, or empty where they are a range
  bool is_list_ = false;
  int64_t at_ = 0, end_ = 0, step_ = 1;
  uint32_t row_ = 0;
  bool nothing_ = false;        // a condition that no row meets
  int64_t low_ = 0, high_ = 0;  // bounds of the way's column
  std::vector<Test> tests_;
  std::vector<KeySet> sets_;
  mutable const TablePart* part_ = nullptr;
  mutable std::vector<std::optional<ColumnReader>> readers_;  // of part_, by column
};

}  // namespace stepscope::query
