#include "query/table_export.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <memory>

#include "base/nearest.h"
#include "export/arrow_ipc.h"
#include "export/parquet.h"
#include "export/text_table.h"
#include "io/byte_sink.h"
#include "present/json_writer.h"
#include "query/exported_table.h"
#include "query/sqlite_export.h"
#include "words/query.h"
#include "words/system_reason.h"

namespace stepscope::query {
namespace {

constexpr SayFrom<kExportTexts> Say;

Result<std::vector<const SqlTable*>> TablesNamed(const QueryTables& tables,
                                                 const std::vector<std::string>& names) {
  std::vector<const SqlTable*> found;
  if (names.empty()) {
    for (const std::unique_ptr<SqlTable>& table : tables.tables()) {
      if (IsExportedByDefault(*table)) found.push_back(table.get());
    }
    return found;
  }
  std::vector<std::string> known;
  for (const std::unique_ptr<SqlTable>& table : tables.tables()) {
    known.push_back(ExportName(*table));
    if (IsExportedByDefault(*table)) known.push_back(table->name());
  }
  for (const std::string& name : names) {
    const auto fits = [&](const std::unique_ptr<SqlTable>& table) {
      return ExportName(*table) == name || (IsExportedByDefault(*table) && table->name() == name);
    };
    const auto at = std::ranges::find_if(tables.tables(), fits);
    if (at != tables.tables().end()) {
      found.push_back(at->get());
      continue;
    }
    const std::vector<std::string_view> views(known.begin(), known.end());
    const std::string_view near = Nearest(name, views);
    return Fail(ErrorCode::kUsage, Say("export.no-table", name), {},
                near.empty() ? Say("export.tables", fmt::format("{}", fmt::join(known, ", ")))
                             : Say("export.did-you-mean", near));
  }
  return found;
}

std::string ProfilesJson(const QueryTables& tables) {
  std::string text;
  JsonWriter json(text);
  json.BeginArray();
  for (size_t i = 0; i < tables.traces(); ++i) {
    const Trace& trace = *tables.trace(i).trace;
    json.BeginObject();
    json.Field("path", trace.path);
    json.Field("format", NameOf(trace.facts.format));
    json.Field("framework", trace.facts.framework);
    json.Field("host", trace.facts.host);
    json.Field("rank", trace.facts.rank);
    json.EndObject();
  }
  json.EndArray();
  return text;
}

Result<void> WriteTable(const exported::TableSource& table, TableFormat format,
                        const QueryTables& tables, TaskPool& pool, ByteSink& sink) {
  switch (format) {
    case TableFormat::kParquet:
      return exported::WriteParquet(table,
                                    {.metadata = {{"stepscope.schema", "tables/1"},
                                                  {"stepscope.version", STEPSCOPE_VERSION},
                                                  {"stepscope.profile", ProfilesJson(tables)}}},
                                    pool, sink);
    case TableFormat::kArrow:
      return exported::WriteArrow(table, sink);
    case TableFormat::kCsv:
      return exported::WriteCsv(table, sink);
    case TableFormat::kJsonl:
      return exported::WriteJsonLines(table, sink);
    case TableFormat::kSqlite:
      break;
  }
  std::unreachable();
}

Result<ExportedTable> Selected(Database& database, const SqlTable& table,
                               const RowSelection& selection) {
  SqlResult<std::optional<std::vector<uint32_t>>> rows = SelectedRows(database, table, selection);
  if (!rows) return Fail(rows.error().code, rows.error().sentence);
  return ExportedTable(database.tables(), table, std::move(*rows));
}

Result<void> MakeFolder(const std::string& folder) {
  std::error_code error;
  std::filesystem::create_directories(folder, error);
  if (!error) return {};
  return Fail(ErrorCode::kCannotWrite, Say("export.cannot-make", SystemReason(error.value())),
              folder, Say("export.other-place"));
}

Result<std::vector<ExportedFile>> WriteSqlite(Database& database, const TablesToExport& wanted,
                                              const std::vector<const SqlTable*>& tables) {
  SqliteExport file(wanted.output);
  uint64_t rows = 0;
  for (const SqlTable* table : tables) {
    const Result<ExportedTable> source = Selected(database, *table, wanted.selection);
    if (!source) return std::unexpected(source.error());
    if (Result<void> added = file.Add(ExportName(*table), *source); !added) {
      return std::unexpected(added.error());
    }
    rows += source->rows();
  }
  if (Result<void> closed = file.Close(); !closed) return std::unexpected(closed.error());
  return std::vector<ExportedFile>{{wanted.output, rows}};
}

}  // namespace

std::string_view EndingOf(TableFormat format) {
  switch (format) {
    case TableFormat::kParquet:
      return ".parquet";
    case TableFormat::kArrow:
      return ".arrow";
    case TableFormat::kCsv:
      return ".csv";
    case TableFormat::kJsonl:
      return ".jsonl";
    case TableFormat::kSqlite:
      return ".sqlite";
  }
  std::unreachable();
}

Result<std::vector<ExportedFile>> ExportTables(Database& database, const TablesToExport& wanted,
                                               TaskPool& pool) {
  const Result<std::vector<const SqlTable*>> tables = TablesNamed(database.tables(), wanted.tables);
  if (!tables) return std::unexpected(tables.error());
  if (wanted.format == TableFormat::kSqlite) return WriteSqlite(database, wanted, *tables);
  const std::string_view ending = EndingOf(wanted.format);
  const bool one = wanted.output == "-" || wanted.output.ends_with(ending);
  if (one && tables->size() != 1) {
    return Fail(
        ErrorCode::kUsage,
        wanted.output == "-" ? Say("export.one-table-out") : Say("export.one-table", ending), {},
        Say("export.name-directory"));
  }
  if (!one) {
    if (Result<void> made = MakeFolder(wanted.output); !made) {
      return std::unexpected(made.error());
    }
  }
  std::vector<ExportedFile> written;
  for (const SqlTable* table : *tables) {
    const std::string path =
        one ? wanted.output : fmt::format("{}/{}{}", wanted.output, ExportName(*table), ending);
    const Result<ExportedTable> source = Selected(database, *table, wanted.selection);
    if (!source) return std::unexpected(source.error());
    Result<std::unique_ptr<ByteSink>> sink = OpenSink(path, Compression::kNone);
    if (!sink) return std::unexpected(sink.error());
    Result<void> done = WriteTable(*source, wanted.format, database.tables(), pool, **sink);
    if (done) done = (*sink)->Close();
    if (!done) return std::unexpected(done.error());
    written.push_back({path, source->rows()});
  }
  return written;
}

}  // namespace stepscope::query
