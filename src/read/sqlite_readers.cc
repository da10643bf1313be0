#include "read/sqlite_readers.h"

#include <fmt/format.h>

#include <array>
#include <filesystem>
#include <utility>

#include "io/sqlite.h"
#include "read/nsys/nsys_reader.h"
#include "words/read.h"

namespace stepscope {
namespace {

constexpr SayFrom<kReadTexts> Say;

namespace fs = std::filesystem;

struct DatabaseFormat {
  bool (*is)(const SqliteFile& file);
  Result<Trace> (*read)(const SqliteFile& file, const OpenOptions& options, TaskPool& pool,
                        Diagnostics& diagnostics);
};
constexpr auto kFormats = std::to_array<DatabaseFormat>({
    {IsNsysExport, ReadNsys},
});

const DatabaseFormat* FormatOf(const SqliteFile& file) {
  for (const DatabaseFormat& format : kFormats) {
    if (format.is(file)) return &format;
  }
  return nullptr;
}

// "train.nsys-rep" is exported to "train.sqlite".
fs::path ExportOf(const std::string& report) {
  return fs::path(report).replace_extension(".sqlite");
}

std::string ExportCommand(const std::string& report) {
  return fmt::format("nsys export --type sqlite --lazy=false {}", report);
}

}  // namespace

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
    return Fail(ErrorCode::kUnsupported, Say("read.sqlite-no-profile"), path,
                Say("read.give-nsys-export"));
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
  std::error_code error;
  const fs::path exported = ExportOf(report);
  if (report == "-" || !fs::is_regular_file(exported, error)) {
    return Fail(ErrorCode::kUnsupported, Say("read.nsys-report"), report,
                report == "-" ? Say("read.give-export")
                              : Say("read.run-export", ExportCommand(report), exported.string()));
  }
  if (fs::last_write_time(exported, error) < fs::last_write_time(report, error)) {
    return Fail(ErrorCode::kUnsupported, Say("read.old-export", exported.string()), report,
                Say("read.export-again", ExportCommand(report)));
  }
  Result<OpenedSource> database = OpenSource(exported.string(), options.stop);
  if (!database) return std::unexpected(std::move(database.error()));
  Result<Trace> trace = ReadSqliteSource(std::move(*database), options, pool, diagnostics);
  if (trace) trace->other_paths.push_back(report);
  return trace;
}

}  // namespace stepscope
