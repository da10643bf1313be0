#include "profile_tables.h"

#include <limits>
#include <string>
#include <utility>
#include <vector>

#include "advise/finding.h"
#include "advise/finding_columns.h"
#include "analyze/raw/raw_tables.h"
#include "analyze/report.h"
#include "analyze/report_tables.h"
#include "link/linked_trace.h"
#include "tables/describe.h"

namespace stepscope::python {
namespace {

using Opened = std::shared_ptr<OpenedProfile>;
using tables::CellType;
using tables::Column;
using tables::ColumnValues;
using tables::RowSource;

std::shared_ptr<const Dictionary> AllStrings(const std::shared_ptr<const void>& owner,
                                             const Trace& trace) {
  auto dictionary = std::make_shared<Dictionary>();
  dictionary->owner = owner;
  dictionary->values.reserve(trace.strings.size());
  for (uint32_t i = 0; i < trace.strings.size(); ++i) {
    dictionary->values.push_back(trace.strings[StringId{i}]);
  }
  return dictionary;
}

std::shared_ptr<const Dictionary> AllCodes(const Column& column) {
  auto dictionary = std::make_shared<Dictionary>();
  for (uint8_t code = 0; code < column.codes; ++code) {
    dictionary->values.push_back(column.code(code));
  }
  return dictionary;
}

// Integers that may be unknown have all bits set then: -1.
ColumnType TypeOf(const Column& column, uint8_t bytes) {
  if (bytes == 8) return ColumnType::kInt64;
  if (bytes == 4) {
    return column.nulls == tables::Nulls::kNever ? ColumnType::kUint32 : ColumnType::kInt32;
  }
  return bytes == 2 ? ColumnType::kUint16 : ColumnType::kUint8;
}

// The columns of one chunk: the engine's own memory where a column lies in it.
class ColumnsOfChunk {
 public:
  ColumnsOfChunk(const Trace& trace, std::shared_ptr<const void> owner)
      : trace_(trace), owner_(std::move(owner)), chunk_(owner_) {}

  std::vector<ColumnChunk> Make(tables::Columns columns, const RowSource& source) && {
    for (const Column& column : columns) {
      if (!(column.shown & tables::kInPython)) continue;
      column.borrow != nullptr ? Borrow(column, source) : Fill(column, source);
    }
    return std::move(chunk_.columns);
  }

 private:
  void Borrow(const Column& column, const RowSource& source) {
    const tables::BorrowedColumn lent = column.borrow(source);
    const auto dictionary = column.type == CellType::kName ? AllStrings(owner_, trace_)
                            : column.code != nullptr       ? AllCodes(column)
                                                           : nullptr;
    const bool name = column.type == CellType::kName;
    chunk_.Borrow(std::string(tables::PythonName(column)),
                  name ? ColumnType::kUint32 : TypeOf(column, lent.bytes), lent.data, lent.rows,
                  dictionary);
  }

  void Fill(const Column& column, const RowSource& source) {
    ColumnValues values;
    column.fill(source, 0, source.count, values);
    const std::string name(tables::PythonName(column));
    const auto unknown = [&](auto& cells, auto instead) {
      for (size_t i = 0; i < values.valid.size(); ++i) {
        if (values.valid[i] == 0) cells[i] = instead;
      }
    };
    switch (column.type) {
      case CellType::kInt:
        unknown(values.integers, int64_t{-1});
        return chunk_.Int64(name, std::move(values.integers));
      case CellType::kReal:
        unknown(values.reals, std::numeric_limits<double>::quiet_NaN());
        return chunk_.Double(name, std::move(values.reals));
      case CellType::kBool:
        return chunk_.Bool(name, std::move(values.truths));
      case CellType::kText:
        if (values.own.empty()) return chunk_.Text(name, values.texts);
        return chunk_.OwnText(name, {values.texts.begin(), values.texts.end()});
      case CellType::kName: {
        std::vector<std::string_view> texts;
        texts.reserve(values.names.size());
        for (const StringId id : values.names) texts.push_back(trace_.strings[id]);
        return chunk_.Text(name, texts);
      }
      case CellType::kRecord:
      case CellType::kRows:
        return;
    }
  }

  const Trace& trace_;
  std::shared_ptr<const void> owner_;
  ChunkMaker chunk_;
};

struct ChunkRows {
  tables::TableRows rows;
  std::shared_ptr<const void> owner;
};

// One chunk per trace, of the rows that `rows_of` gives for it, and the column that says which.
template <typename RowsOf>
TableData Make(const Opened& opened, tables::Columns columns, RowsOf rows_of) {
  TableData table;
  for (const Column& column : columns) {
    if (column.shown & tables::kInPython) table.names.emplace_back(tables::PythonName(column));
  }
  table.names.emplace_back("trace");
  for (size_t i = 0; i < opened->profile().traces.size(); ++i) {
    const Trace& trace = opened->profile().traces[i];
    const ChunkRows of = rows_of(trace, i);
    std::vector<ColumnChunk> chunk = ColumnsOfChunk(trace, of.owner).Make(columns, of.rows.source);
    ChunkMaker which(of.owner);
    which.Uint32("trace", std::vector<uint32_t>(of.rows.source.count, static_cast<uint32_t>(i)));
    chunk.push_back(std::move(which.columns[0]));
    table.chunks.push_back(std::move(chunk));
  }
  return table;
}

TableData MakeReport(const Opened& opened, const tables::ReportTable& table) {
  return Make(opened, table.facts.columns, [&](const Trace&, size_t i) {
    return ChunkRows{table.rows(opened->study().linked(i), opened->study().report(i)), opened};
  });
}

// Rows of the trace itself. What Python shows of them needs no analysis.
TableData MakeRaw(const Opened& opened, const tables::RawTable& table) {
  struct Kept {
    Opened opened;
    tables::TraceRows rows;
  };
  static const Links kNoLinks;
  static const Steps kNoSteps;
  return Make(opened, table.facts.columns, [&](const Trace& trace, size_t) {
    const std::shared_ptr<const Kept> kept(
        new Kept{opened, tables::TraceRows({trace, kNoLinks, kNoSteps})});
    return ChunkRows{{table.Rows(kept->rows)}, kept};
  });
}

TableData MakeFindings(const Opened& opened) {
  return Make(opened, tables::kFindingColumns, [&](const Trace& trace, size_t i) {
    const std::vector<Finding>& rows = opened->study().advice()[i].findings;
    return ChunkRows{{{&trace, rows.data(), static_cast<uint32_t>(rows.size())}}, opened};
  });
}

template <typename Report, typename Raw, typename Findings, typename None>
auto Choose(std::string_view name, Report report, Raw raw, Findings findings, None none) {
  for (const tables::ReportTable* table : tables::ReportTables()) {
    if (table->facts.python == name && !name.empty()) return report(*table);
  }
  for (const tables::RawTable& table : tables::RawTables()) {
    if (table.facts.python == name && !name.empty()) return raw(table);
  }
  return name == tables::kFindings.python ? findings() : none();
}

}  // namespace

bool HasTable(std::string_view name) {
  return Choose(
      name, [](const auto&) { return true; }, [](const auto&) { return true; }, [] { return true; },
      [] { return false; });
}

TableData MakeTable(const Opened& opened, std::string_view name) {
  return Choose(
      name, [&](const tables::ReportTable& table) { return MakeReport(opened, table); },
      [&](const tables::RawTable& table) { return MakeRaw(opened, table); },
      [&] { return MakeFindings(opened); }, [] { return TableData(); });
}

}  // namespace stepscope::python
