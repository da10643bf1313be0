#pragma once

#include <string>

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

// Whether the database is one of the profiles that ReadSqliteSource reads.
bool IsSqliteProfile(const std::string& path);

}  // namespace stepscope
