#include "read/sqlite_readers.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <filesystem>
#include <span>
#include <utility>

#include "io/sqlite.h"
#include "read/chrome_json/text.h"
#include "read/nsys/convert_report.h"
#include "read/nsys/nsys_reader.h"
#include "read/rocpd/event_tables.h"
#include "read/rocpd/rocpd_reader.h"
#include "read/rocpd/rpd_reader.h"
#include "words/read.h"

namespace stepscope {
namespace {

constexpr SayFrom<kReadTexts> Say;

namespace fs = std::filesystem;

// A column whose numbers stand for texts of another table of the same process.
struct TextColumn {
  std::string_view column;
  std::string_view table;
  std::string_view text;
};
constexpr auto kNsysTexts = std::to_array<TextColumn>({
    {"nameId", "StringIds", "value"},
    {"textId", "StringIds", "value"},
    {"demangledName", "StringIds", "value"},
    {"shortName", "StringIds", "value"},
    {"mangledName", "StringIds", "value"},
});
constexpr auto kRocpdTexts = std::to_array<TextColumn>({
    {"name_id", "rocpd_string", "string"},
    {"region_name_id", "rocpd_string", "string"},
    {"kernel_id", "rocpd_info_kernel_symbol", "display_name"},
    {"pmc_id", "rocpd_info_pmc", "name"},
});
constexpr auto kRpdTexts = std::to_array<TextColumn>({
    {"apiName_id", "rocpd_string", "string"},
    {"args_id", "rocpd_string", "string"},
    {"description_id", "rocpd_string", "string"},
    {"opType_id", "rocpd_string", "string"},
});

struct DatabaseFormat {
  bool (*is)(const SqliteFile& file);
  Result<Trace> (*read)(const SqliteFile& file, const OpenOptions& options, TaskPool& pool,
                        Diagnostics& diagnostics);
  std::vector<const SqliteFile::Table*> (*event_tables)(const SqliteFile& file);
  std::span<const TextColumn> texts;
};
constexpr auto kFormats = std::to_array<DatabaseFormat>({
    {IsNsysExport, ReadNsys, NsysEventTables, kNsysTexts},
    {IsRocpd, ReadRocpd, RocpdEventTables, kRocpdTexts},
    {IsRpd, ReadRpd, RpdEventTables, kRpdTexts},
});

const DatabaseFormat* FormatOf(const SqliteFile& file) {
  for (const DatabaseFormat& format : kFormats) {
    if (format.is(file)) return &format;
  }
  return nullptr;
}

Error NoProfile(const std::string& path) {
  return {ErrorCode::kUnsupported, Say("read.sqlite-no-profile"), path, std::nullopt,
          Say("read.give-database")};
}

// "_uuid" of "rocpd_region_uuid"; other formats have none.
std::string_view SuffixOf(std::string_view table) {
  for (const rocpd::EventTable& known : rocpd::EventTables()) {
    if (table.starts_with(known.name)) return table.substr(known.name.size());
  }
  return {};
}

std::string TextOf(const SqliteFile& file, const TextColumn& how, std::string_view suffix,
                   int64_t id) {
  const SqliteFile::Table* table = file.Find(std::string(how.table) + std::string(suffix));
  if (table == nullptr) return {};
  const std::array columns{how.text};
  Result<SqliteRows> row = file.Read(*table, columns, SqliteFile::RowIds{id, id});
  if (!row || !row->Next()) return {};
  std::string text;
  chrome_json::AppendRepairedUtf8(row->Text(0), text);
  return text;
}

std::string CellText(const SqliteRows& row, int column) {
  switch (row.TypeOf(column)) {
    case SqliteRows::Type::kNull:
      return {};
    case SqliteRows::Type::kInteger:
      return std::to_string(row.Integer(column));
    case SqliteRows::Type::kReal:
      return fmt::format("{}", row.Real(column));
    case SqliteRows::Type::kText: {
      std::string text;
      chrome_json::AppendRepairedUtf8(row.Text(column), text);
      return text;
    }
    case SqliteRows::Type::kBytes:
      return fmt::format("{} bytes", row.Text(column).size());
  }
  std::unreachable();
}

}  // namespace

Result<StoredRow> ReadStoredRow(const std::string& path, const EventCounts& counts,
                                uint64_t event) {
  const Result<SqliteFile> file = SqliteFile::Open(path);
  if (!file) return std::unexpected(file.error());
  const DatabaseFormat* format = FormatOf(*file);
  if (format == nullptr) return std::unexpected(NoProfile(path));
  for (const SqliteFile::Table* table : format->event_tables(*file)) {
    const auto count = counts.by_plane.find(table->name);
    const uint64_t rows = count == counts.by_plane.end() ? 0 : count->second;
    if (event >= rows) {
      event -= rows;
      continue;
    }
    Result<SqliteRows> row = file->RowAt(*table, event);
    if (!row) return std::unexpected(std::move(row.error()));
    if (!row->Next()) break;
    StoredRow stored{table->name, {}};
    for (size_t i = 0; i < table->columns.size(); ++i) {
      const std::string& column = table->columns[i];
      std::string value = CellText(*row, static_cast<int>(i));
      if (value.empty()) continue;
      const auto text = std::ranges::find(format->texts, column, &TextColumn::column);
      if (text != format->texts.end()) {
        std::string named =
            TextOf(*file, *text, SuffixOf(table->name), row->Integer(static_cast<int>(i)));
        if (!named.empty()) value = std::move(named);
      }
      // Folders of the machine that recorded are nobody's business: a library keeps its name.
      if (value.starts_with('/')) value.erase(0, value.rfind('/') + 1);
      stored.values.emplace_back(column, std::move(value));
    }
    return stored;
  }
  return Fail(ErrorCode::kDamaged, Say("read.event-gone"), path, Say("read.open-again"));
}

bool IsSqliteProfile(const std::string& path) {
  const Result<SqliteFile> file = SqliteFile::Open(path);
  return file && FormatOf(*file) != nullptr;
}

Result<Trace> ReadSqliteSource(OpenedSource source, const OpenOptions& options, TaskPool& pool,
                               Diagnostics& diagnostics) {
  const std::string path = source.path;
  const Result<SqliteFile> file = SqliteFile::Open(std::move(source), options.stop);
  if (!file) return std::unexpected(file.error());
  const DatabaseFormat* format = FormatOf(*file);
  if (format == nullptr) {
    return std::unexpected(NoProfile(path));
  }
  if (const uint64_t missing = file->BytesMissing(); missing > 0) {
    diagnostics.Add(Diagnostic::kFileTruncated, 1, std::nullopt,
                    fmt::format("the last {} bytes of the database", missing));
  }
  return format->read(*file, options, pool, diagnostics);
}

Result<Trace> ReadNsysReportSource(OpenedSource source, const OpenOptions& options, TaskPool& pool,
                                   Diagnostics& diagnostics) {
  const std::string report = source.path;
  if (report == "-") {
    return Fail(ErrorCode::kUnsupported, Say("read.nsys-report"), report, Say("read.give-export"));
  }
  std::error_code error;
  const std::string exported = nsys::ExportOf(report);
  if (!fs::is_regular_file(exported, error)) {
    if (std::optional<Error> fault = nsys::ConvertReport(report, options)) {
      return std::unexpected(std::move(*fault));
    }
  }
  if (fs::last_write_time(exported, error) < fs::last_write_time(report, error)) {
    return Fail(ErrorCode::kUnsupported, Say("read.old-export", exported), report,
                Say("read.export-again", nsys::ExportCommand(report)));
  }
  Result<OpenedSource> database = OpenSource(exported, options.stop);
  if (!database) return std::unexpected(std::move(database.error()));
  Result<Trace> trace = ReadSqliteSource(std::move(*database), options, pool, diagnostics);
  if (trace) trace->other_paths.push_back(report);
  return trace;
}

bool IsNsysParquetDirectory(const std::string& directory) {
  std::error_code error;
  return fs::is_regular_file(fs::path(directory) / "StringIds.parquet", error);
}

Error NsysParquetRefused(const std::string& directory) {
  // "train_pqtdir" and "train.parquetdir" are made from "train.nsys-rep".
  const fs::path folder = fs::path(directory).lexically_normal();
  fs::path report = folder.has_filename() ? folder : folder.parent_path();
  std::string name = report.filename().string();
  for (const std::string_view ending : {"_pqtdir", "_parqdir", "_parquetdir", ".parquetdir"}) {
    if (name.ends_with(ending)) name.resize(name.size() - ending.size());
  }
  report.replace_filename(name + ".nsys-rep");
  return {ErrorCode::kUnsupported, Say("read.nsys-parquet"), directory, std::nullopt,
          Say("read.run-export", nsys::ExportCommand(report.string()),
              nsys::ExportOf(report.string()))};
}

}  // namespace stepscope
