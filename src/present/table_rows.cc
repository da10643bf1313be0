#include "present/table_rows.h"

#include <charconv>
#include <string>
#include <utility>

namespace stepscope {
namespace {

using tables::Cell;
using tables::CellType;
using tables::Column;
using tables::RowSource;

void WriteRow(tables::Columns columns, const RowSource& source, uint32_t row, JsonWriter& json);

void WriteInner(const Column& column, const tables::TableRows& rows, JsonWriter& json) {
  if (column.type == CellType::kRecord) {
    if (rows.source.count == 0) return json.Value(nullptr);
    return WriteRow(column.inner, rows.source, 0, json);
  }
  json.BeginArray();
  for (uint32_t i = 0; i < rows.source.count; ++i) WriteRow(column.inner, rows.source, i, json);
  json.EndArray();
}

void WriteValue(const Column& column, const Cell& cell, JsonWriter& json) {
  if (cell.null) return json.Value(nullptr);
  switch (cell.type) {
    case CellType::kInt:
      return json.Value(cell.integer);
    case CellType::kReal:
      return json.Value(cell.real);
    case CellType::kBool:
      return json.Value(cell.integer != 0);
    case CellType::kText:
    case CellType::kName:
      if (!column.shapes) return json.Value(cell.text);
      if (cell.text.empty()) return json.Value(nullptr);
      return IsShapeList(cell.text) ? json.Raw(cell.text) : json.Value(cell.text);
    case CellType::kRecord:
    case CellType::kRows:
      std::unreachable();
  }
}

void WriteField(const Column& column, const RowSource& source, uint32_t row, JsonWriter& json) {
  if (column.rows != nullptr) {
    const tables::TableRows inner = column.rows(source, row);
    if (inner.source.count == 0 && column.nulls == tables::Nulls::kAbsent) return;
    json.Key(column.name);
    return WriteInner(column, inner, json);
  }
  std::string scratch;
  const Cell cell = column.cell(source, row, scratch);
  if (cell.null && column.nulls == tables::Nulls::kAbsent) return;
  if (!column.name.empty()) json.Key(column.name);
  WriteValue(column, cell, json);
}

void WriteRow(tables::Columns columns, const RowSource& source, uint32_t row, JsonWriter& json) {
  const bool plain = columns.size() == 1 && columns[0].name.empty();
  if (plain) return WriteField(columns[0], source, row, json);
  json.BeginObject();
  for (const Column& column : columns) {
    if (column.shown & tables::kInJson) WriteField(column, source, row, json);
  }
  json.EndObject();
}

void WriteField(const Cell& cell, CsvWriter& csv) {
  if (cell.null) return csv.Field(std::string_view());
  switch (cell.type) {
    case CellType::kInt:
      return csv.Field(cell.integer);
    case CellType::kReal:
      return csv.Field(cell.real);
    case CellType::kBool:
      return csv.Field(cell.integer != 0 ? std::string_view("true") : std::string_view("false"));
    case CellType::kText:
    case CellType::kName:
      return csv.Field(cell.text);
    case CellType::kRecord:
    case CellType::kRows:
      std::unreachable();
  }
}

}  // namespace

void WriteRows(tables::Columns columns, const tables::TableRows& rows, JsonWriter& json) {
  RowSource source = rows.source;
  source.language = json.language();
  json.BeginArray(JsonWriter::Layout::kLines);
  for (uint32_t i = 0; i < source.count; ++i) WriteRow(columns, source, i, json);
  json.EndArray();
}

void WriteHeader(tables::Columns columns, CsvWriter& csv) {
  csv.Field(std::string_view("profile"));
  for (const Column& column : columns) {
    if (column.shown & tables::kInCsv) csv.Field(column.name);
  }
  csv.EndRow();
}

void WriteRows(tables::Columns columns, const tables::TableRows& rows, std::string_view profile,
               CsvWriter& csv) {
  std::string scratch;
  for (uint32_t i = 0; i < rows.source.count; ++i) {
    csv.Field(profile);
    for (const Column& column : columns) {
      if (column.shown & tables::kInCsv) WriteField(column.cell(rows.source, i, scratch), csv);
    }
    csv.EndRow();
  }
}

bool IsShapeList(std::string_view text) {
  if (!text.starts_with('[')) return false;
  size_t depth = 0;
  bool value_before = false;  // a value has just ended: a comma or a bracket may follow
  bool comma_before = false;  // a value has to follow
  while (!text.empty()) {
    const char c = text[0];
    if (c == '[' && !value_before) {
      ++depth;
      comma_before = false;
    } else if (c == ']' && depth > 0 && !comma_before) {
      --depth;
      value_before = true;
      if (depth == 0) return text.size() == 1;
    } else if (c == ',' && value_before) {
      value_before = false;
      comma_before = true;
    } else if (!value_before) {
      int64_t number = 0;
      const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
      const bool leads_with_zero = text.starts_with('0') && end != text.data() + 1;
      if (error != std::errc() || leads_with_zero || text.starts_with("-0")) return false;
      text.remove_prefix(static_cast<size_t>(end - text.data()) - 1);
      value_before = true;
      comma_before = false;
    } else {
      return false;
    }
    text.remove_prefix(1);
  }
  return false;
}

}  // namespace stepscope
