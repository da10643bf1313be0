#pragma once

#include <string>
#include <vector>

#include "base/result.h"
#include "base/task_pool.h"
#include "query/database.h"
#include "query/selection.h"

namespace stepscope::query {

enum class TableFormat : uint8_t { kParquet, kArrow, kCsv, kJsonl, kSqlite };
// ".parquet"
std::string_view EndingOf(TableFormat format);

struct TablesToExport {
  std::vector<std::string> tables;  // "slices" or "slice"; none: all of the trace
  TableFormat format = TableFormat::kParquet;
  RowSelection selection = {};
  // A folder that gets one file a table; a file where its name ends as files of the format do and
  // one table is asked for, or for SQLite.
  std::string output;
};

struct ExportedFile {
  std::string path;
  uint64_t rows = 0;
};

// Writes files under temporary names first: none is left half written. Returns what was written.
Result<std::vector<ExportedFile>> ExportTables(Database& database, const TablesToExport& wanted,
                                               TaskPool& pool);

}  // namespace stepscope::query
