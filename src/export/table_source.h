#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace stepscope::exported {

struct ColumnSpec {
  enum class Type : uint8_t { kInt, kReal, kBool, kText };
  std::string name;
  Type type = Type::kInt;
  bool nullable = false;
};

// A stretch of one column: the vector of its type has one value a row, a null included.
struct ColumnData {
  std::vector<int64_t> integers;
  std::vector<double> reals;
  std::vector<uint8_t> truths;
  std::vector<uint32_t> codes;               // of texts: places in the dictionary
  std::vector<std::string_view> dictionary;  // may hold texts that no row has
  std::vector<uint8_t> valid;                // empty: nothing is null
  std::shared_ptr<const void> owner;         // of texts that were made for the occasion

  bool IsNull(size_t row) const { return !valid.empty() && valid[row] == 0; }
  void Clear();
};

// A table that goes out: Parquet, Arrow, CSV and JSON lines are written from it.
class TableSource {
 public:
  virtual ~TableSource() = default;
  virtual const std::vector<ColumnSpec>& columns() const = 0;
  virtual uint64_t rows() const = 0;
  // Safe for several threads.
  virtual void Fill(size_t column, uint64_t first, uint32_t count, ColumnData& out) const = 0;
};

// The text with bytes that are no UTF-8 replaced by U+FFFD: what readers of these files insist on.
std::string ValidUtf8(std::string_view text);

}  // namespace stepscope::exported
