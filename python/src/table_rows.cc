#include "table_rows.h"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>
#include <numeric>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <variant>

namespace stepscope::python {
namespace {

// The column as one vector: integers of any width, reals, or codes of texts.
using Numbers = std::vector<int64_t>;
using Reals = std::vector<double>;
struct Texts {
  std::vector<uint32_t> codes;
  std::vector<std::string_view> values;
};
using Joined = std::variant<Numbers, Reals, Texts>;

template <typename T>
T At(const ColumnChunk& column, size_t row) {
  return static_cast<const T*>(column.data)[row];
}

int64_t NumberAt(const ColumnChunk& column, size_t row) {
  switch (column.type) {
    case ColumnType::kInt64:
      return At<int64_t>(column, row);
    case ColumnType::kInt32:
      return At<int32_t>(column, row);
    case ColumnType::kUint32:
      return At<uint32_t>(column, row);
    case ColumnType::kUint16:
      return At<uint16_t>(column, row);
    case ColumnType::kUint8:
    case ColumnType::kBool:
      return At<uint8_t>(column, row);
    case ColumnType::kDouble:
      return static_cast<int64_t>(At<double>(column, row));
  }
  return 0;
}

// Codes of several dictionaries as codes of one. A text gets its code when it is first seen, so a
// dictionary of which little is used costs little.
class OneDictionary {
 public:
  // Chunks come one after another.
  void Add(const ColumnChunk& column) {
    constexpr uint32_t kUnseen = std::numeric_limits<uint32_t>::max();
    std::vector<uint32_t> seen(column.dictionary->values.size(), kUnseen);
    for (size_t row = 0; row < column.rows; ++row) {
      const auto code = static_cast<size_t>(NumberAt(column, row));
      if (seen[code] == kUnseen) seen[code] = CodeOf(column.dictionary->values[code]);
      texts.codes.push_back(seen[code]);
    }
  }
  Texts texts;

 private:
  uint32_t CodeOf(std::string_view text) {
    const auto [at, added] = known_.emplace(text, static_cast<uint32_t>(known_.size()));
    if (added) texts.values.push_back(text);
    return at->second;
  }
  std::unordered_map<std::string_view, uint32_t> known_;
};

Joined Join(const TableData& table, size_t column) {
  if (table.chunks.empty()) return Numbers();
  const ColumnChunk& first = table.chunks[0][column];
  if (first.dictionary) {
    OneDictionary joined;
    for (const std::vector<ColumnChunk>& chunk : table.chunks) joined.Add(chunk[column]);
    return std::move(joined.texts);
  }
  if (first.type == ColumnType::kDouble) {
    Reals joined;
    for (const std::vector<ColumnChunk>& chunk : table.chunks) {
      const auto* const values = static_cast<const double*>(chunk[column].data);
      joined.insert(joined.end(), values, values + chunk[column].rows);
    }
    return joined;
  }
  Numbers joined;
  joined.reserve(table.rows());
  for (const std::vector<ColumnChunk>& chunk : table.chunks) {
    for (size_t row = 0; row < chunk[column].rows; ++row) {
      joined.push_back(NumberAt(chunk[column], row));
    }
  }
  return joined;
}

template <typename T>
std::vector<T> Chosen(const std::vector<T>& values, std::span<const int64_t> rows) {
  std::vector<T> chosen;
  chosen.reserve(rows.size());
  for (const int64_t row : rows) chosen.push_back(values[static_cast<size_t>(row)]);
  return chosen;
}

void AddColumn(const std::string& name, ColumnType type, const Joined& joined,
               std::span<const int64_t> rows, const SharedTable& owner, ChunkMaker& made) {
  if (const auto* const texts = std::get_if<Texts>(&joined)) {
    auto dictionary = std::make_shared<Dictionary>();
    dictionary->values = texts->values;
    dictionary->owner = owner;
    made.Uint32(name, Chosen(texts->codes, rows), std::move(dictionary));
  } else if (const auto* const reals = std::get_if<Reals>(&joined)) {
    made.Double(name, Chosen(*reals, rows));
  } else if (const auto& numbers = std::get<Numbers>(joined); type == ColumnType::kBool) {
    const Numbers chosen = Chosen(numbers, rows);
    made.Bool(name, std::vector<uint8_t>(chosen.begin(), chosen.end()));
  } else {
    made.Int64(name, Chosen(numbers, rows));
  }
}

TableData Finished(ChunkMaker made) {
  TableData table;
  table.names = std::move(made.names);
  table.chunks.push_back(std::move(made.columns));
  return table;
}

ColumnType TypeOf(const TableData& table, size_t column) {
  return table.chunks.empty() ? ColumnType::kInt64 : table.chunks[0][column].type;
}

template <typename Key>
void SortBy(const std::vector<Key>& keys, Order order, std::vector<int64_t>& rows) {
  const auto key = [&](int64_t row) { return keys[static_cast<size_t>(row)]; };
  const auto unknown = [&](int64_t row) { return key(row) != key(row); };  // NaN
  auto last =
      std::stable_partition(rows.begin(), rows.end(), [&](int64_t row) { return !unknown(row); });
  std::stable_sort(rows.begin(), last, [&](int64_t a, int64_t b) {
    return order == Order::kAscending ? key(a) < key(b) : key(b) < key(a);
  });
}

// The place of each text among all, by bytes.
std::vector<uint32_t> Ranks(const Texts& texts) {
  std::vector<uint32_t> codes(texts.values.size());
  std::iota(codes.begin(), codes.end(), 0U);
  std::sort(codes.begin(), codes.end(),
            [&](uint32_t a, uint32_t b) { return texts.values[a] < texts.values[b]; });
  std::vector<uint32_t> place(codes.size());
  for (uint32_t i = 0; i < codes.size(); ++i) place[codes[i]] = i;
  std::vector<uint32_t> ranks;
  ranks.reserve(texts.codes.size());
  for (const uint32_t code : texts.codes) ranks.push_back(place[code]);
  return ranks;
}

// Values as bits, so that one map tells any of them apart; NaN equals NaN.
Numbers Bits(Joined joined) {
  if (auto* const numbers = std::get_if<Numbers>(&joined)) return std::move(*numbers);
  if (const auto* const texts = std::get_if<Texts>(&joined)) {
    return {texts->codes.begin(), texts->codes.end()};
  }
  Numbers bits;
  for (double value : std::get<Reals>(joined)) {
    if (std::isnan(value)) value = std::numeric_limits<double>::quiet_NaN();
    int64_t as_bits = 0;
    std::memcpy(&as_bits, &value, sizeof value);
    bits.push_back(as_bits);
  }
  return bits;
}

struct Groups {
  std::vector<uint32_t> of_row;
  std::vector<int64_t> first_rows;
};

Groups FindGroups(const TableData& table, std::span<const size_t> keys) {
  Groups groups{std::vector<uint32_t>(table.rows(), 0), {}};
  // Each key divides the groups so far.
  for (const size_t key : keys) {
    const Numbers bits = Bits(Join(table, key));
    std::unordered_map<int64_t, uint32_t> values;
    std::unordered_map<uint64_t, uint32_t> divided;
    for (size_t row = 0; row < bits.size(); ++row) {
      const uint32_t value =
          values.emplace(bits[row], static_cast<uint32_t>(values.size())).first->second;
      const uint64_t pair = (uint64_t{groups.of_row[row]} << 32) | value;
      groups.of_row[row] =
          divided.emplace(pair, static_cast<uint32_t>(divided.size())).first->second;
    }
  }
  for (size_t row = 0; row < groups.of_row.size(); ++row) {
    if (groups.of_row[row] == groups.first_rows.size()) {
      groups.first_rows.push_back(static_cast<int64_t>(row));
    }
  }
  return groups;
}

template <typename T>
struct Totals {
  std::vector<T> sum, min, max;
  std::vector<int64_t> count;
};

template <typename T>
Totals<T> TotalsOf(const std::vector<T>& values, const Groups& groups) {
  const size_t size = groups.first_rows.size();
  Totals<T> totals{std::vector<T>(size), std::vector<T>(size), std::vector<T>(size),
                   std::vector<int64_t>(size)};
  for (size_t row = 0; row < values.size(); ++row) {
    const T value = values[row];
    if (value != value) continue;
    const uint32_t group = groups.of_row[row];
    const bool first = totals.count[group]++ == 0;
    totals.sum[group] += value;
    totals.min[group] = first ? value : std::min(totals.min[group], value);
    totals.max[group] = first ? value : std::max(totals.max[group], value);
  }
  return totals;
}

template <typename T>
Reals MeansOf(const Totals<T>& totals) {
  Reals means;
  for (size_t i = 0; i < totals.count.size(); ++i) {
    means.push_back(totals.count[i] == 0 ? std::numeric_limits<double>::quiet_NaN()
                                         : static_cast<double>(totals.sum[i]) /
                                               static_cast<double>(totals.count[i]));
  }
  return means;
}

template <typename T>
std::vector<T> OneOf(Totals<T> totals, Sum how) {
  if (how == Sum::kSum) return std::move(totals.sum);
  std::vector<T> values = std::move(how == Sum::kMin ? totals.min : totals.max);
  if constexpr (std::is_same_v<T, double>) {
    for (size_t i = 0; i < values.size(); ++i) {
      if (totals.count[i] == 0) values[i] = std::numeric_limits<double>::quiet_NaN();
    }
  }
  return values;
}

void AddSum(const TableData& table, const Summed& wanted, const Groups& groups, ChunkMaker& made) {
  const Joined joined = Join(table, wanted.column);
  if (const auto* const reals = std::get_if<Reals>(&joined)) {
    Totals<double> totals = TotalsOf(*reals, groups);
    made.Double(wanted.name,
                wanted.how == Sum::kMean ? MeansOf(totals) : OneOf(std::move(totals), wanted.how));
  } else if (const auto* const numbers = std::get_if<Numbers>(&joined)) {
    Totals<int64_t> totals = TotalsOf(*numbers, groups);
    if (wanted.how == Sum::kMean) return made.Double(wanted.name, MeansOf(totals));
    made.Int64(wanted.name, OneOf(std::move(totals), wanted.how));
  }
}

}  // namespace

TableData TakeRows(const SharedTable& table, std::span<const int64_t> rows) {
  ChunkMaker made(table);
  for (size_t i = 0; i < table->names.size(); ++i) {
    AddColumn(table->names[i], TypeOf(*table, i), Join(*table, i), rows, table, made);
  }
  return Finished(std::move(made));
}

std::vector<int64_t> OrderRows(const TableData& table, size_t column, Order order,
                               std::vector<int64_t> rows) {
  const Joined joined = Join(table, column);
  if (const auto* const texts = std::get_if<Texts>(&joined)) {
    SortBy(Ranks(*texts), order, rows);
  } else if (const auto* const reals = std::get_if<Reals>(&joined)) {
    SortBy(*reals, order, rows);
  } else {
    SortBy(std::get<Numbers>(joined), order, rows);
  }
  return rows;
}

TableData GroupRows(const SharedTable& table, std::span<const size_t> keys,
                    std::span<const Summed> sums) {
  const Groups groups = FindGroups(*table, keys);
  ChunkMaker made(table);
  for (const size_t key : keys) {
    AddColumn(table->names[key], TypeOf(*table, key), Join(*table, key), groups.first_rows, table,
              made);
  }
  std::vector<int64_t> rows(groups.first_rows.size());
  for (const uint32_t group : groups.of_row) ++rows[group];
  made.Int64("rows", std::move(rows));
  for (const Summed& sum : sums) AddSum(*table, sum, groups, made);
  return Finished(std::move(made));
}

}  // namespace stepscope::python
