#pragma once

#include <vector>

#include "base/diagnostics.h"
#include "base/result.h"
#include "base/task_pool.h"
#include "io/sqlite.h"
#include "read/open_options.h"
#include "trace/trace.h"

namespace stepscope {

bool IsRpd(const SqliteFile& file);

// Tables whose rows are events, in the order in which their events are numbered.
std::vector<const SqliteFile::Table*> RpdEventTables(const SqliteFile& file);

// A database of ROCmProfileData (.rpd): calls, what they put on the GPU, roctx ranges and samples
// of the GPU's sensors. Calls and their work are joined by a table of pairs.
Result<Trace> ReadRpd(const SqliteFile& file, const OpenOptions& options, TaskPool& pool,
                      Diagnostics& diagnostics);

}  // namespace stepscope
