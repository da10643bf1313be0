#pragma once

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "base/diagnostics.h"
#include "base/result.h"
#include "base/task_pool.h"
#include "io/byte_source.h"
#include "read/open_options.h"
#include "trace/trace.h"

// The readers of profiles that are SQLite databases, for the table of readers.
namespace stepscope {

// Recognised by their tables. kUnsupported for a database that is no profile.
Result<Trace> ReadSqliteSource(OpenedSource source, const OpenOptions& options, TaskPool& pool,
                               Diagnostics& diagnostics);

// Nsight Systems' own report has no published form: the export that lies beside it is read.
Result<Trace> ReadNsysReportSource(OpenedSource source, const OpenOptions& options, TaskPool& pool,
                                   Diagnostics& diagnostics);

// The tables of a report as Parquet files (nsys export --type parquetdir), which are not read.
bool IsNsysParquetDirectory(const std::string& directory);
Error NsysParquetRefused(const std::string& directory);

// One event as the database has it: the row of its table, with texts in place of their numbers.
// Columns that are null are left out. `counts` are those of the trace.
struct StoredRow {
  std::string table;
  std::vector<std::pair<std::string, std::string>> values;  // by column
};
Result<StoredRow> ReadStoredRow(const std::string& path, const EventCounts& counts, uint64_t event);

// Whether the database is one of the profiles that ReadSqliteSource reads.
bool IsSqliteProfile(const std::string& path);

}  // namespace stepscope
