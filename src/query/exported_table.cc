#include "query/exported_table.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <memory>
#include <utility>

#include "analyze/raw/raw_tables.h"

namespace stepscope::query {

using exported::ColumnData;
using exported::ColumnSpec;
using tables::CellType;
using Type = exported::ColumnSpec::Type;

namespace {

Type TypeOf(CellType type) {
  switch (type) {
    case CellType::kReal:
      return Type::kReal;
    case CellType::kBool:
      return Type::kBool;
    case CellType::kText:
    case CellType::kName:
      return Type::kText;
    default:
      return Type::kInt;
  }
}

// Appends cells of one column; texts get places in a dictionary.
class Appender {
 public:
  Appender(const SqlTable& table, size_t column, uint32_t rows, ColumnData& out)
      : shown_(table.columns()[column]), names_(table.names()), out_(out) {
    Reserve(rows);
    if (shown_.type == CellType::kName) {
      out.dictionary.reserve(names_.size());
      for (uint32_t key = 0; key < names_.size(); ++key) {
        out.dictionary.push_back(names_.TextOf(key));
      }
    } else if (shown_.type == CellType::kText) {
      texts_ = std::make_shared<StringTable>();
    }
  }
  void Add(ColumnReader& reader, const TablePart& part, uint32_t row) {
    if (reader.has_keys() && shown_.type != CellType::kText && shown_.type != CellType::kReal) {
      const std::optional<int64_t> key = reader.Key(row);
      if (shown_.nullable) out_.valid.push_back(key ? 1 : 0);
      return Whole(key.value_or(0));
    }
    const tables::Cell cell = reader.Read(row);
    if (shown_.nullable) out_.valid.push_back(cell.null ? 0 : 1);
    switch (shown_.type) {
      case CellType::kReal:
        return out_.reals.push_back(cell.null ? 0 : cell.real);
      case CellType::kText:
        return out_.codes.push_back(cell.null ? 0 : Index(texts_->Intern(cell.text)));
      case CellType::kName:
        return out_.codes.push_back(
            cell.null ? 0
                      : names_.KeyOf(part.trace_id, StringId{static_cast<uint32_t>(cell.integer)}));
      default:
        return Whole(cell.null ? 0 : cell.integer);
    }
  }
  // Many rows of one part.
  void AddRun(ColumnReader& reader, const TablePart& part, uint32_t first, uint32_t count) {
    constexpr uint32_t kAtOnce = 8192;
    for (uint32_t done = 0; done < count; done += kAtOnce) {
      const uint32_t some = std::min(kAtOnce, count - done);
      reader.has_keys() ? AddKeys(reader, first + done, some)
                        : AddCells(reader, part, first + done, some);
    }
  }
  void Finish() {
    // Columns without a null need no list of them.
    if (std::ranges::find(out_.valid, uint8_t{0}) == out_.valid.end()) out_.valid.clear();
    if (texts_ == nullptr) return;
    for (uint32_t id = 0; id < texts_->size(); ++id) {
      out_.dictionary.push_back((*texts_)[StringId{id}]);
    }
    out_.owner = texts_;
  }

 private:
  void Reserve(uint32_t rows) {
    if (shown_.nullable) out_.valid.reserve(rows);
    switch (TypeOf(shown_.type)) {
      case Type::kInt:
        return out_.integers.reserve(rows);
      case Type::kReal:
        return out_.reals.reserve(rows);
      case Type::kBool:
        return out_.truths.reserve(rows);
      case Type::kText:
        return out_.codes.reserve(rows);
    }
  }
  uint8_t* MoreValid(uint32_t count) {
    if (!shown_.nullable) return nullptr;
    out_.valid.resize(out_.valid.size() + count, 1);
    return out_.valid.data() + out_.valid.size() - count;
  }
  void AddKeys(const ColumnReader& reader, uint32_t first, uint32_t count) {
    uint8_t* const valid = MoreValid(count);
    if (TypeOf(shown_.type) == Type::kInt) {
      out_.integers.resize(out_.integers.size() + count);
      reader.Keys(first, count, out_.integers.data() + out_.integers.size() - count, valid);
      return;
    }
    keys_.resize(count);
    reader.Keys(first, count, keys_.data(), valid);
    if (!reader.has_codes()) {
      for (const int64_t key : keys_) Whole(key);
      return;
    }
    for (const int64_t key : keys_) {
      uint32_t& place = code_places_[static_cast<uint8_t>(key)];
      if (place == 0) {
        place = Index(texts_->Intern(shown_.declared->code(static_cast<uint8_t>(key)))) + 1;
      }
      out_.codes.push_back(place - 1);
    }
  }
  void AddCells(const ColumnReader& reader, const TablePart& part, uint32_t first, uint32_t count) {
    reader.Cells(first, count, values_);
    if (uint8_t* const valid = MoreValid(count); valid != nullptr && !values_.valid.empty()) {
      std::ranges::copy(values_.valid, valid);
    }
    const auto null = [&](uint32_t i) { return !values_.valid.empty() && values_.valid[i] == 0; };
    switch (shown_.type) {
      case CellType::kReal:
        for (uint32_t i = 0; i < count; ++i) out_.reals.push_back(null(i) ? 0 : values_.reals[i]);
        return;
      case CellType::kText:
        for (uint32_t i = 0; i < count; ++i) {
          out_.codes.push_back(null(i) ? 0 : Index(texts_->Intern(values_.texts[i])));
        }
        return;
      case CellType::kName:
        for (uint32_t i = 0; i < count; ++i) {
          out_.codes.push_back(null(i) ? 0 : names_.KeyOf(part.trace_id, values_.names[i]));
        }
        return;
      case CellType::kBool:
        for (uint32_t i = 0; i < count; ++i) out_.truths.push_back(null(i) ? 0 : values_.truths[i]);
        return;
      default:
        for (uint32_t i = 0; i < count; ++i) {
          out_.integers.push_back(null(i) ? 0 : values_.integers[i]);
        }
        return;
    }
  }
  void Whole(int64_t value) {
    if (shown_.type == CellType::kBool) {
      out_.truths.push_back(static_cast<uint8_t>(value));
    } else if (shown_.type == CellType::kName) {
      out_.codes.push_back(static_cast<uint32_t>(value));
    } else {
      out_.integers.push_back(value);
    }
  }

  const SqlColumn& shown_;
  const Names& names_;
  ColumnData& out_;
  std::shared_ptr<StringTable> texts_;
  std::vector<int64_t> keys_;
  tables::ColumnValues values_;
  std::array<uint32_t, 256> code_places_{};  // of enums: place of the name + 1; 0: not used yet
};

}  // namespace

ExportedTable::ExportedTable(const QueryTables& tables, const SqlTable& table,
                             std::optional<std::vector<uint32_t>> selected)
    : table_(table), selected_(std::move(selected)) {
  for (size_t i = 0; i < table.columns().size(); ++i) {
    const SqlColumn& column = table.columns()[i];
    if (!column.hidden) Add(std::string(column.name), {&table, i, {}, false}, column.nullable);
  }
  AddTrackColumns(tables);
  AddTraceColumns(tables);
}

void ExportedTable::Add(std::string name, const Origin& origin, bool nullable) {
  if (std::ranges::find(specs_, name, &ColumnSpec::name) != specs_.end()) return;
  const Type type = TypeOf(origin.table->columns()[origin.column].type);
  specs_.push_back({std::move(name), type, nullable});
  origins_.push_back(origin);
}

void ExportedTable::AddTrackColumns(const QueryTables& tables) {
  const SqlTable* const track = tables.Find("track");
  const std::optional<size_t> key = table_.Find("track_id");
  if (!key || table_.columns()[*key].target != track) return;
  constexpr std::array<std::pair<std::string_view, std::string_view>, 6> kColumns{
      {{"name", "track_name"},
       {"pid", "pid"},
       {"tid", "tid"},
       {"process_name", "process_name"},
       {"device", "device"},
       {"stream", "stream"}}};
  for (const auto& [name, shown] : kColumns) {
    const size_t column = *track->Find(name);
    Add(std::string(shown), {track, column, key, false},
        track->columns()[column].nullable || table_.columns()[*key].nullable);
  }
}

void ExportedTable::AddTraceColumns(const QueryTables& tables) {
  const SqlTable* const trace = tables.Find("trace");
  if (trace == &table_) return;
  const std::optional<size_t> key = table_.Find("trace_id");
  const std::optional<size_t> ts = table_.Find("ts");
  if (ts) Add("ts_unix_ns", {trace, *trace->Find("start_unix_ns"), key, true}, true);
  Add("path", {trace, *trace->Find("path"), key, false}, false);
  Add("rank", {trace, *trace->Find("rank"), key, false}, true);
}

void ExportedTable::FillOwn(const SqlTable& table, size_t column, uint64_t first, uint32_t count,
                            bool use_selection, ColumnData& out) const {
  Appender appender(table, column, count, out);
  const TablePart* part = nullptr;
  std::optional<ColumnReader> reader;
  const bool selected = use_selection && selected_.has_value();
  for (uint64_t i = first; i < first + count && !selected;) {
    part = &table.PartOf(static_cast<uint32_t>(i));
    reader.emplace(table, column, *part);
    const auto row = static_cast<uint32_t>(i) - part->first;
    const auto some =
        static_cast<uint32_t>(std::min<uint64_t>(first + count - i, part->size() - row));
    appender.AddRun(*reader, *part, row, some);
    i += some;
  }
  for (uint64_t i = first; i < first + count && selected; ++i) {
    const uint32_t row = (*selected_)[i];
    if (part == nullptr || row < part->first || row - part->first >= part->size()) {
      part = &table.PartOf(row);
      reader.emplace(table, column, *part);
    }
    appender.Add(*reader, *part, row - part->first);
  }
  appender.Finish();
}

void ExportedTable::FillJoined(const Origin& origin, uint64_t first, uint32_t count,
                               ColumnData& out) const {
  ColumnData keys, values, times;
  FillOwn(table_, *origin.key, first, count, true, keys);
  FillOwn(*origin.table, origin.column, 0, origin.table->size(), false, values);
  if (origin.since_epoch) FillOwn(table_, *table_.Find("ts"), first, count, true, times);
  const bool nullable = !keys.valid.empty() || !values.valid.empty();
  const auto take = [&](const auto& from, auto& to) {
    if (from.empty()) return;
    to.reserve(count);
    for (uint32_t i = 0; i < count; ++i) {
      to.push_back(keys.IsNull(i) ? typename std::remove_cvref_t<decltype(to)>::value_type{}
                                  : from[static_cast<size_t>(keys.integers[i])]);
    }
  };
  take(values.integers, out.integers);
  take(values.reals, out.reals);
  take(values.truths, out.truths);
  take(values.codes, out.codes);
  for (uint32_t i = 0; i < count && nullable; ++i) {
    const bool known = !keys.IsNull(i) && !values.IsNull(static_cast<size_t>(keys.integers[i]));
    out.valid.push_back(known ? 1 : 0);
  }
  for (uint32_t i = 0; i < count && origin.since_epoch; ++i) {
    out.integers[i] += times.integers[i];
  }
  out.dictionary = std::move(values.dictionary);
  out.owner = std::move(values.owner);
}

void ExportedTable::Fill(size_t column, uint64_t first, uint32_t count, ColumnData& out) const {
  out.Clear();
  const Origin& origin = origins_[column];
  if (origin.key) {
    FillJoined(origin, first, count, out);
  } else {
    FillOwn(*origin.table, origin.column, first, count, true, out);
  }
}

bool IsExportedByDefault(const SqlTable& table) {
  return table.name() == "finding" || tables::FindRawTable(table.name()) != nullptr;
}

std::string ExportName(const SqlTable& table) {
  const std::string& name = table.name();
  if (!IsExportedByDefault(table)) return "report_" + name;
  if (name == "memory" || name == "idle" || name == "strings") return name;
  return name + (name.ends_with('s') ? "es" : "s");
}

}  // namespace stepscope::query
