#pragma once

#include <vector>

#include "base/diagnostics.h"
#include "base/result.h"
#include "base/task_pool.h"
#include "io/sqlite.h"
#include "read/open_options.h"
#include "trace/trace.h"

namespace stepscope {

bool IsNsysExport(const SqliteFile& file);

// Tables whose rows are events, in the order in which their events are numbered.
std::vector<const SqliteFile::Table*> NsysEventTables(const SqliteFile& file);

// The SQLite export of an Nsight Systems report, of any version of its schema: columns are read by
// their names, those that a version lacks as null. Tables are read in pieces by several threads;
// the result does not depend on their number. All processes of the report are one Trace.
Result<Trace> ReadNsys(const SqliteFile& file, const OpenOptions& options, TaskPool& pool,
                       Diagnostics& diagnostics);

}  // namespace stepscope
