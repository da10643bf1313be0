#include "present/report_csv.h"

#include "analyze/report.h"
#include "analyze/report_tables.h"
#include "present/csv.h"
#include "present/quality_columns.h"
#include "present/table_rows.h"

namespace stepscope {
namespace {

// `rows_of` gives a profile's rows.
template <typename RowsOf>
CsvTable Make(const tables::TableFacts& facts, std::span<const Reported> reports, Language language,
              RowsOf rows_of) {
  CsvTable table{std::string(facts.name).append(".csv"), {}};
  CsvWriter csv(table.text);
  WriteHeader(facts.columns, csv);
  for (const Reported& reported : reports) {
    tables::TableRows rows = rows_of(reported);
    rows.source.language = language;
    WriteRows(facts.columns, rows, reported.trace().path, csv);
  }
  return table;
}

}  // namespace

std::vector<CsvTable> ReportsCsv(std::span<const Reported> reports, Language language) {
  std::vector<CsvTable> files;
  for (const tables::ReportTable* table : tables::ReportTables()) {
    if (!table->csv) continue;
    files.push_back(Make(table->facts, reports, language, [&](const Reported& reported) {
      return table->rows(*reported.linked, *reported.report);
    }));
  }
  files.push_back(Make(tables::kQuality, reports, language, [](const Reported& reported) {
    return QualityRows(reported.report->quality);
  }));
  return files;
}

}  // namespace stepscope
