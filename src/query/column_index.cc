#include "query/column_index.h"

#include <algorithm>
#include <array>
#include <limits>
#include <utility>

namespace stepscope::query {
namespace {

struct KeyedRow {
  uint64_t key;
  uint32_t row;
};

constexpr unsigned kDigitBits = 11;
constexpr uint64_t kDigits = uint64_t{1} << kDigitBits;

// Stable, least significant digits first; looks only at as many digits as the largest key has.
void RadixSort(std::vector<KeyedRow>& rows, uint64_t most) {
  std::vector<KeyedRow> other(rows.size());
  for (unsigned shift = 0; shift < 64 && (most >> shift) != 0; shift += kDigitBits) {
    std::array<uint32_t, kDigits + 1> place{};
    for (const KeyedRow& row : rows) ++place[((row.key >> shift) & (kDigits - 1)) + 1];
    for (size_t digit = 1; digit <= kDigits; ++digit) place[digit] += place[digit - 1];
    for (const KeyedRow& row : rows) other[place[(row.key >> shift) & (kDigits - 1)]++] = row;
    rows.swap(other);
  }
}

}  // namespace

ColumnIndex::ColumnIndex(const ColumnKeys& column) {
  const auto rows = static_cast<uint32_t>(column.keys.size());
  order_.reserve(rows);
  for (uint32_t row = 0; row < column.valid.size(); ++row) {
    if (column.valid[row] == 0) order_.push_back(row);
  }
  nulls_ = static_cast<uint32_t>(order_.size());
  order_.resize(rows);
  least_ = std::numeric_limits<int64_t>::max();
  int64_t most = std::numeric_limits<int64_t>::min();
  for (uint32_t row = 0; row < rows; ++row) {
    if (!column.valid.empty() && column.valid[row] == 0) continue;
    least_ = std::min(least_, column.keys[row]);
    most = std::max(most, column.keys[row]);
  }
  if (nulls_ == rows) {
    least_ = most = 0;
    offsets_.assign(2, nulls_);
    distinct_ = 0;
    return;
  }
  const uint64_t range = static_cast<uint64_t>(most) - static_cast<uint64_t>(least_);
  close_ = range <= uint64_t{rows} * 4 + 4096;
  close_ ? SortClose(column, most) : SortFar(column, most);
}

void ColumnIndex::SortClose(const ColumnKeys& column, int64_t most) {
  const auto range = static_cast<size_t>(most - least_) + 1;
  offsets_.assign(range + 1, 0);
  const bool nullable = !column.valid.empty();
  for (size_t row = 0; row < column.keys.size(); ++row) {
    if (nullable && column.valid[row] == 0) continue;
    ++offsets_[static_cast<size_t>(column.keys[row] - least_) + 1];
  }
  for (size_t key = 1; key <= range; ++key) distinct_ += offsets_[key] != 0 ? 1 : 0;
  offsets_[0] = nulls_;
  for (size_t key = 1; key <= range; ++key) offsets_[key] += offsets_[key - 1];
  std::vector<uint32_t> next(offsets_.begin(), offsets_.end() - 1);
  for (size_t row = 0; row < column.keys.size(); ++row) {
    if (nullable && column.valid[row] == 0) continue;
    order_[next[static_cast<size_t>(column.keys[row] - least_)]++] = static_cast<uint32_t>(row);
  }
}

void ColumnIndex::SortFar(const ColumnKeys& column, int64_t most) {
  std::vector<KeyedRow> rows;
  rows.reserve(column.keys.size() - nulls_);
  for (uint32_t row = 0; row < column.keys.size(); ++row) {
    if (!column.valid.empty() && column.valid[row] == 0) continue;
    rows.push_back({static_cast<uint64_t>(column.keys[row]) - static_cast<uint64_t>(least_), row});
  }
  RadixSort(rows, static_cast<uint64_t>(most) - static_cast<uint64_t>(least_));
  uint32_t place = nulls_;
  for (const KeyedRow& row : rows) {
    const auto key = static_cast<int64_t>(row.key + static_cast<uint64_t>(least_));
    if (keys_.empty() || keys_.back() != key) {
      keys_.push_back(key);
      offsets_.push_back(place);
    }
    order_[place++] = row.row;
  }
  offsets_.push_back(place);
  distinct_ = static_cast<uint32_t>(keys_.size());
}

uint32_t ColumnIndex::PlaceOf(int64_t key, bool above) const {
  if (!close_) {
    const auto at = above ? std::upper_bound(keys_.begin(), keys_.end(), key)
                          : std::lower_bound(keys_.begin(), keys_.end(), key);
    return offsets_[static_cast<size_t>(at - keys_.begin())];
  }
  if (key < least_) return nulls_;
  const uint64_t from_least = static_cast<uint64_t>(key) - static_cast<uint64_t>(least_);
  if (from_least >= offsets_.size() - 1) return offsets_.back();
  return offsets_[static_cast<size_t>(from_least) + (above ? 1 : 0)];
}

std::span<const uint32_t> ColumnIndex::Between(int64_t low, int64_t high) const {
  if (low > high) return {};
  const uint32_t first = PlaceOf(low, false), last = PlaceOf(high, true);
  return std::span(order_).subspan(first, last - first);
}

}  // namespace stepscope::query
