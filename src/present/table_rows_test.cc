#include "present/table_rows.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "analyze/report_tables.h"
#include "present/testing/sample_report.h"

namespace stepscope {
namespace {

using tables::Cell;
using tables::CellType;
using tables::Column;
using tables::ColumnValues;

std::string Shown(const Cell& cell) {
  if (cell.null) return "null";
  return fmt::format("{} {} {}", cell.integer, cell.real, cell.text);
}

// The cell of row i of a stretch.
Cell CellOf(const Column& column, const ColumnValues& values, const Trace& trace, uint32_t i) {
  Cell cell{.type = column.type, .null = !values.valid.empty() && values.valid[i] == 0};
  if (cell.null) return cell;
  if (column.type == CellType::kInt) cell.integer = values.integers[i];
  if (column.type == CellType::kBool) cell.integer = values.truths[i];
  if (column.type == CellType::kReal) cell.real = values.reals[i];
  if (column.type == CellType::kText) cell.text = values.texts[i];
  if (column.type == CellType::kName) {
    cell.integer = Index(values.names[i]);
    cell.text = trace.strings[values.names[i]];
  }
  return cell;
}

TEST(TableRows, StretchesAndCellsOfEveryTableAgree) {
  const SampleReport sample = MakeSampleReport();
  size_t cells = 0;
  for (const tables::ReportTable* table : tables::ReportTables()) {
    const tables::TableRows rows = table->rows(sample.linked, sample.report);
    for (const Column& column : table->facts.columns) {
      if (column.cell == nullptr) continue;
      ColumnValues values;
      column.fill(rows.source, 0, rows.source.count, values);
      for (uint32_t i = 0; i < rows.source.count; ++i, ++cells) {
        std::string scratch;
        EXPECT_EQ(Shown(column.cell(rows.source, i, scratch)),
                  Shown(CellOf(column, values, sample.trace, i)))
            << table->facts.name << "." << column.name;
      }
    }
  }
  EXPECT_GT(cells, 100u);
}

TEST(TableRows, EveryColumnHasAMeaningInBothLanguages) {
  for (const tables::ReportTable* table : tables::ReportTables()) {
    EXPECT_FALSE(table->facts.meaning.zh.empty()) << table->facts.name;
    for (const Column& column : table->facts.columns) {
      EXPECT_FALSE(column.meaning.en.empty()) << table->facts.name << "." << column.name;
      EXPECT_FALSE(column.meaning.zh.empty()) << table->facts.name << "." << column.name;
      EXPECT_EQ(column.name.ends_with("_ns") || column.name == "ns",
                column.unit == tables::Unit::kNs || column.name == "priority_ns")
          << table->facts.name << "." << column.name;
    }
  }
}

}  // namespace
}  // namespace stepscope
