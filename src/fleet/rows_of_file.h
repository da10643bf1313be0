#pragma once

#include "fleet/listed_path.h"
#include "fleet/rows.h"

namespace stepscope::fleet {

// Reads, analyses and advises one path, and keeps its rows. Never fails: a path that cannot be read
// gives the row of `profiles` that says why. Same content, same rows at any number of threads.
FileRows RowsOfFile(const ListedPath& listed, unsigned threads);

// The row of a path for which no more is known than how reading it ended.
FileRows FailedRows(const ListedPath& listed, FailureCode code, std::string sentence);

// The UTC day of a time since 1970: "2026-11-16".
std::string DayOf(int64_t unix_ns);

}  // namespace stepscope::fleet
