#pragma once

#include <cstdint>
#include <string>
#include <vector>

struct sqlite3_index_info;

namespace stepscope::query {

class SqlTable;

// How rows of a table are found for one place of a query.
struct Plan {
  enum class Way : uint8_t {
    kScan,   // every row
    kRow,    // one row by its number
    kTrace,  // the rows of a trace
    kEqual,  // rows with one value in a column, by its index
    kRange,  // rows between two values, by the index
    kOrder,  // every row, in the order of a column's index
  };
  // A condition of the query that rows are tested for before SQLite sees them. SQLite tests again,
  // so that a condition may let too much through, never too little.
  struct Test {
    size_t column = 0;
    uint8_t op = 0;  // SQLITE_INDEX_CONSTRAINT_*
    bool operator==(const Test&) const = default;
  };
  Way way = Way::kScan;
  size_t column = 0;        // of kRow, kTrace, kEqual, kRange, kOrder
  bool backwards = false;   // from the last row to the first
  std::vector<Test> tests;  // in the order of the values that SQLite hands over

  bool operator==(const Plan&) const = default;
  // "by track_id, ts >= ?": what EXPLAIN QUERY PLAN shows.
  std::string InWords(const SqlTable& table) const;
};

// Chooses the cheapest way that the usable conditions allow and tells SQLite of its costs and of
// the order of rows. idxNum and idxStr are left to the caller.
Plan ChoosePlan(const SqlTable& table, sqlite3_index_info& info);

}  // namespace stepscope::query
