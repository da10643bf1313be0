#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "table.h"

// Tables made of a table: rows that were chosen, put in order or grouped. Rows are counted over all
// chunks; what is made has one chunk, whose texts the first table keeps alive.
namespace stepscope::python {

using SharedTable = std::shared_ptr<const TableData>;

// These rows in this order. They have to be rows of the table.
TableData TakeRows(const SharedTable& table, std::span<const int64_t> rows);

enum class Order : uint8_t { kAscending, kDescending };

// The rows ordered by a column; rows that are equal keep their order, and NaN comes last. O(n log
// n).
std::vector<int64_t> OrderRows(const TableData& table, size_t column, Order order,
                               std::vector<int64_t> rows);

enum class Sum : uint8_t { kSum, kMin, kMax, kMean };

struct Summed {
  size_t column = 0;
  Sum how = Sum::kSum;
  std::string name;
};

// One row for each combination of the keys, in the order in which they first appear: the keys, how
// many rows there are (`rows`), and the sums. NaN does not count in a sum. O(n).
TableData GroupRows(const SharedTable& table, std::span<const size_t> keys,
                    std::span<const Summed> sums);

}  // namespace stepscope::python
