#include "query/sql_table.h"

#include <algorithm>
#include <utility>

namespace stepscope::query {
namespace {

using tables::Cell;
using tables::CellType;
using tables::Column;

bool IsText(CellType type) { return type == CellType::kText || type == CellType::kName; }

// An enum whose codes lie in memory.
bool IsCode(const Column& column) {
  return column.type == CellType::kText && column.borrow != nullptr && column.codes > 0;
}
// A column that lies in memory as keys.
bool LiesAsKeys(const Column& column) {
  return column.borrow != nullptr && (column.type != CellType::kText || IsCode(column)) &&
         column.type != CellType::kReal;
}

SqlColumn Shown(const Column& column) {
  return {.name = column.name,
          .declared = &column,
          .type = column.type,
          .hidden = column.hidden,
          .row_number = column.row_number,
          .trace_id = column.name == "trace_id",
          .nullable = column.nulls != tables::Nulls::kNever};
}

}  // namespace

// ---- reading a column

ColumnReader::ColumnReader(const SqlTable& table, size_t column, const TablePart& part)
    : column_(table.columns()[column].declared),
      source_(part.rows.source),
      names_(&table.names()),
      strings_(&table.names().StringsOf(part.trace_id)),
      trace_(part.trace_id) {
  const SqlColumn& shown = table.columns()[column];
  nullable_ = shown.nullable;
  if (shown.target != nullptr) add_ = shown.target->BaseOf(part.trace_id);
  if (shown.trace_id) {
    how_ = How::kTraceId;
  } else if (shown.row_number) {
    how_ = How::kRow;
    add_ = part.first;
  } else if (LiesAsKeys(*column_) && source_.count > 0) {
    const tables::BorrowedColumn borrowed = column_->borrow(source_);
    data_ = borrowed.data;
    how_ = column_->type == CellType::kName ? How::kName
           : IsCode(*column_)               ? How::kCode
           : borrowed.bytes == 8            ? How::kWide
           : borrowed.bytes == 4            ? How::kHalf
           : borrowed.bytes == 2            ? How::kShort
                                            : How::kByte;
  }
}

std::optional<int64_t> ColumnReader::Key(uint32_t row) const {
  switch (how_) {
    case How::kTraceId:
      return trace_;
    case How::kRow:
      return row + add_;
    case How::kWide:
      return static_cast<const int64_t*>(data_)[row];
    case How::kHalf: {
      const uint32_t value = static_cast<const uint32_t*>(data_)[row];
      if (nullable_ && value == kNoRow) return std::nullopt;
      return value + add_;
    }
    case How::kShort:
      return static_cast<const uint16_t*>(data_)[row];
    case How::kByte:
    case How::kCode:
      return static_cast<const uint8_t*>(data_)[row];
    case How::kName:
      return names_->KeyOf(trace_, static_cast<const StringId*>(data_)[row]);
    case How::kCell:
      return std::nullopt;
  }
  std::unreachable();
}

void ColumnReader::Keys(uint32_t first, uint32_t count, int64_t* keys, uint8_t* valid) const {
  const auto each = [&](auto value_of) {
    for (uint32_t i = 0; i < count; ++i) keys[i] = value_of(first + i);
  };
  if (valid != nullptr) std::fill_n(valid, count, uint8_t{1});
  switch (how_) {
    case How::kTraceId:
      return each([this](uint32_t) { return int64_t{trace_}; });
    case How::kRow:
      return each([this](uint32_t row) { return row + add_; });
    case How::kWide:
      std::copy_n(static_cast<const int64_t*>(data_) + first, count, keys);
      return;
    case How::kHalf: {
      const auto* const values = static_cast<const uint32_t*>(data_);
      if (!nullable_) return each([&](uint32_t row) { return values[row] + add_; });
      for (uint32_t i = 0; i < count; ++i) {
        const uint32_t value = values[first + i];
        const bool there = value != kNoRow;
        keys[i] = there ? value + add_ : 0;
        if (valid != nullptr) valid[i] = there ? 1 : 0;
      }
      return;
    }
    case How::kShort:
      return each(
          [this](uint32_t row) { return int64_t{static_cast<const uint16_t*>(data_)[row]}; });
    case How::kByte:
    case How::kCode:
      return each(
          [this](uint32_t row) { return int64_t{static_cast<const uint8_t*>(data_)[row]}; });
    case How::kName:
      return each([this](uint32_t row) {
        return int64_t{names_->KeyOf(trace_, static_cast<const StringId*>(data_)[row])};
      });
    case How::kCell:
      return each([](uint32_t) { return int64_t{0}; });
  }
}

void ColumnReader::Cells(uint32_t first, uint32_t count, tables::ColumnValues& out) const {
  column_->fill(source_, first, count, out);
  if (add_ == 0) return;
  for (int64_t& value : out.integers) value += add_;
}

Cell ColumnReader::Read(uint32_t row) {
  switch (how_) {
    case How::kCell: {
      Cell cell = column_->cell(source_, row, scratch_);
      if (column_->type == CellType::kInt) cell.integer += add_;
      return cell;
    }
    case How::kCode:
      return {.type = CellType::kText,
              .text = column_->code(static_cast<const uint8_t*>(data_)[row])};
    case How::kName:
      return {.type = CellType::kName,
              .text = (*strings_)[static_cast<const StringId*>(data_)[row]]};
    default: {
      const std::optional<int64_t> key = Key(row);
      return {.type = CellType::kInt, .null = !key, .integer = key.value_or(0)};
    }
  }
}

// ---- the table

SqlTable::SqlTable(std::string name, tables::Words meaning, tables::Columns columns, size_t traces,
                   MakeRows make, const Names& names)
    : name_(std::move(name)),
      meaning_(meaning),
      traces_(traces),
      make_(std::move(make)),
      names_(names) {
  for (const Column& column : columns) {
    if (column.type != CellType::kRecord && column.type != CellType::kRows) {
      columns_.push_back(Shown(column));
    }
  }
  if (!Find("trace_id")) columns_.push_back({.name = "trace_id", .trace_id = true});
  for (size_t i = 0; i < columns_.size(); ++i) {
    indexes_.push_back(std::make_unique<LazyIndex>());
  }
}

void SqlTable::Resolve(const FindTable& find) {
  for (SqlColumn& column : columns_) {
    if (column.declared == nullptr || column.declared->joins.empty()) continue;
    const std::string_view joins = column.declared->joins;
    const size_t dot = joins.find('.');
    const SqlTable* const target = find(joins.substr(0, dot));
    if (target == nullptr) continue;
    const std::optional<size_t> key = target->Find(joins.substr(dot + 1));
    if (key && target->columns()[*key].row_number) column.target = target;
  }
}

std::optional<size_t> SqlTable::Find(std::string_view column) const {
  const auto at = std::ranges::find(columns_, column, &SqlColumn::name);
  if (at == columns_.end()) return std::nullopt;
  return static_cast<size_t>(at - columns_.begin());
}

const std::vector<TablePart>& SqlTable::parts() const {
  std::call_once(parts_made_, [this] {
    uint32_t first = 0;
    for (size_t t = 0; t < traces_; ++t) {
      parts_.push_back({make_(t), first, static_cast<uint32_t>(t)});
      first += parts_.back().size();
    }
  });
  return parts_;
}

uint32_t SqlTable::size() const {
  return parts().empty() ? 0 : parts().back().first + parts().back().size();
}

const TablePart& SqlTable::PartOf(uint32_t row) const {
  const auto after = std::ranges::upper_bound(parts(), row, {}, &TablePart::first);
  // Of parts that begin at the same row all but the last are empty.
  return *std::prev(after);
}

// ---- indexes

bool SqlTable::Indexable(size_t column) const { return columns_[column].type != CellType::kReal; }

bool SqlTable::HasKeys(size_t column) const {
  const SqlColumn& shown = columns_[column];
  return shown.trace_id || shown.row_number || LiesAsKeys(*shown.declared);
}

ColumnKeys SqlTable::KeysOf(size_t column, StringTable& texts) const {
  const SqlColumn& shown = columns_[column];
  ColumnKeys out;
  out.keys.resize(size());
  if (shown.nullable) out.valid.resize(size());
  for (const TablePart& part : parts()) {
    ColumnReader reader(*this, column, part);
    int64_t* const keys = out.keys.data() + part.first;
    uint8_t* const valid = shown.nullable ? out.valid.data() + part.first : nullptr;
    if (reader.has_keys()) {
      reader.Keys(0, part.size(), keys, valid);
      continue;
    }
    for (uint32_t row = 0; row < part.size(); ++row) {
      const Cell cell = reader.Read(row);
      if (valid != nullptr) valid[row] = cell.null ? 0 : 1;
      if (cell.null) continue;
      if (shown.type == CellType::kName) {
        keys[row] = names_.KeyOf(part.trace_id, StringId{static_cast<uint32_t>(cell.integer)});
      } else if (IsText(shown.type)) {
        keys[row] = Index(texts.Intern(cell.text));
      } else {
        keys[row] = cell.integer;
      }
    }
  }
  return out;
}

// Each distinct text is compared, not each row.
std::vector<uint32_t> SqlTable::RowsByText(size_t column, const ColumnKeys& keys,
                                           const LazyIndex& of) const {
  const SqlColumn& shown = columns_[column];
  const std::span<const uint32_t> all = of.index->all();
  const auto text = [&](int64_t key) -> std::string_view {
    if (shown.type == CellType::kName) return names_.TextOf(static_cast<uint32_t>(key));
    if (IsCode(*shown.declared)) return shown.declared->code(static_cast<uint8_t>(key));
    return of.texts[StringId{static_cast<uint32_t>(key)}];
  };
  struct Stretch {
    std::string_view text;
    size_t first, last;
  };
  std::vector<Stretch> stretches;
  const auto nulls = static_cast<size_t>(std::ranges::count(keys.valid, uint8_t{0}));
  for (size_t first = nulls; first < all.size();) {
    const int64_t key = keys.keys[all[first]];
    size_t last = first + 1;
    while (last < all.size() && keys.keys[all[last]] == key) ++last;
    stretches.push_back({text(key), first, last});
    first = last;
  }
  std::ranges::sort(stretches, {}, &Stretch::text);
  std::vector<uint32_t> rows(all.begin(), all.begin() + static_cast<ptrdiff_t>(nulls));
  rows.reserve(all.size());
  for (const Stretch& stretch : stretches) {
    const auto part = all.subspan(stretch.first, stretch.last - stretch.first);
    rows.insert(rows.end(), part.begin(), part.end());
  }
  return rows;
}

void SqlTable::MakeIndex(size_t column, LazyIndex& into) const {
  const ColumnKeys keys = KeysOf(column, into.texts);
  into.index = std::make_unique<const ColumnIndex>(keys);
  if (IsText(columns_[column].type)) into.by_text = RowsByText(column, keys, into);
  into.ready = true;
}

bool SqlTable::FindAscending(size_t column, const ColumnIndex& index) const {
  const std::optional<size_t> ts = Find("ts");
  if (!ts || *ts == column || size() == 0) return false;
  StringTable none, texts;
  const ColumnKeys times = KeysOf(*ts, none), keys = KeysOf(column, texts);
  const std::span<const uint32_t> all = index.all();
  for (size_t i = 1; i < all.size(); ++i) {
    const uint32_t row = all[i], before = all[i - 1];
    if (keys.keys[before] == keys.keys[row] && times.keys[before] > times.keys[row]) return false;
  }
  return true;
}

const ColumnIndex& SqlTable::IndexOf(size_t column) const {
  LazyIndex& lazy = *indexes_[column];
  std::call_once(lazy.once, [&] { MakeIndex(column, lazy); });
  return *lazy.index;
}

std::span<const uint32_t> SqlTable::InOrder(size_t column) const {
  const ColumnIndex& index = IndexOf(column);
  return IsText(columns_[column].type) ? std::span(indexes_[column]->by_text) : index.all();
}

bool SqlTable::AscendsInTime(size_t column) const {
  const ColumnIndex& index = IndexOf(column);
  LazyIndex& lazy = *indexes_[column];
  std::call_once(lazy.time_once, [&] { lazy.ascends_in_time = FindAscending(column, index); });
  return lazy.ascends_in_time;
}

std::optional<int64_t> SqlTable::KeyOf(size_t column, std::string_view text) const {
  const SqlColumn& shown = columns_[column];
  if (shown.type == CellType::kName) return names_.Find(text);
  if (shown.declared != nullptr && IsCode(*shown.declared)) {
    for (unsigned code = 0; code < shown.declared->codes; ++code) {
      if (shown.declared->code(static_cast<uint8_t>(code)) == text) return code;
    }
    return std::nullopt;
  }
  IndexOf(column);
  const StringId id = indexes_[column]->texts.Find(text);
  if (id == kEmptyString && !text.empty()) return std::nullopt;
  return stepscope::Index(id);
}

}  // namespace stepscope::query
