#pragma once

#include <vector>

#include "base/diagnostics.h"
#include "base/result.h"
#include "base/task_pool.h"
#include "io/sqlite.h"
#include "read/open_options.h"
#include "trace/trace.h"

namespace stepscope {

bool IsRocpd(const SqliteFile& file);

// Tables whose rows are events, in the order in which their events are numbered.
std::vector<const SqliteFile::Table*> RocpdEventTables(const SqliteFile& file);

// A rocpd database, as rocprofv3 and rocprof-sys write it. Each process has its own set of tables
// with its own suffix; all of them are one Trace. Columns are read by their names, both in the
// schema that keeps times in a table of their own and in the one that keeps them in the rows.
Result<Trace> ReadRocpd(const SqliteFile& file, const OpenOptions& options, TaskPool& pool,
                        Diagnostics& diagnostics);

}  // namespace stepscope
