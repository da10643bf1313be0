#include "export/text_table.h"

#include <algorithm>

#include "present/csv.h"
#include "present/json_writer.h"

namespace stepscope::exported {
namespace {

using Type = ColumnSpec::Type;

constexpr uint32_t kRowsAtOnce = 8192;

void Write(Type type, const ColumnData& data, size_t row, CsvWriter& csv) {
  if (data.IsNull(row)) return csv.Field(std::string_view());
  switch (type) {
    case Type::kInt:
      return csv.Field(data.integers[row]);
    case Type::kReal:
      return csv.Field(data.reals[row]);
    case Type::kBool:
      return csv.Field(data.truths[row] != 0 ? std::string_view("true")
                                             : std::string_view("false"));
    case Type::kText:
      return csv.Field(data.dictionary[data.codes[row]]);
  }
}

void Write(Type type, const ColumnData& data, size_t row, JsonWriter& json) {
  if (data.IsNull(row)) return json.Value(nullptr);
  switch (type) {
    case Type::kInt:
      return json.Value(data.integers[row]);
    case Type::kReal:
      return json.Value(data.reals[row]);
    case Type::kBool:
      return json.Value(data.truths[row] != 0);
    case Type::kText:
      return json.Value(data.dictionary[data.codes[row]]);
  }
}

// Calls `write(columns, row, text)` for every row and hands the text on block by block.
template <typename WriteRow>
Result<void> WriteRows(const TableSource& table, ByteSink& sink, std::string text, WriteRow write) {
  std::vector<ColumnData> columns(table.columns().size());
  for (uint64_t first = 0; first < table.rows(); first += kRowsAtOnce) {
    const auto count = static_cast<uint32_t>(std::min<uint64_t>(kRowsAtOnce, table.rows() - first));
    for (size_t i = 0; i < columns.size(); ++i) table.Fill(i, first, count, columns[i]);
    for (uint32_t row = 0; row < count; ++row) write(columns, row, text);
    if (Result<void> written = sink.Write(text); !written) return written;
    text.clear();
  }
  return sink.Write(text);
}

}  // namespace

Result<void> WriteCsv(const TableSource& table, ByteSink& sink) {
  std::string header;
  CsvWriter csv(header);
  for (const ColumnSpec& spec : table.columns()) csv.Field(spec.name);
  csv.EndRow();
  return WriteRows(table, sink, std::move(header),
                   [&](const std::vector<ColumnData>& columns, size_t row, std::string& text) {
                     CsvWriter line(text);
                     for (size_t i = 0; i < columns.size(); ++i) {
                       Write(table.columns()[i].type, columns[i], row, line);
                     }
                     line.EndRow();
                   });
}

Result<void> WriteJsonLines(const TableSource& table, ByteSink& sink) {
  return WriteRows(table, sink, {},
                   [&](const std::vector<ColumnData>& columns, size_t row, std::string& text) {
                     JsonWriter json(text);
                     json.BeginObject();
                     for (size_t i = 0; i < columns.size(); ++i) {
                       json.Key(table.columns()[i].name);
                       Write(table.columns()[i].type, columns[i], row, json);
                     }
                     json.EndObject();
                     text += '\n';
                   });
}

}  // namespace stepscope::exported
