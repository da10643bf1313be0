#pragma once

#include "fleet/rows.h"
#include "study/reported.h"

namespace stepscope::fleet {

// Adds the rows of one trace to all tables but `profiles`.
void AddTraceRows(const Reported& reported, uint32_t trace, FileRows& rows);

// The collective calls of a trace by group, type and size.
std::vector<CollectiveTotal> CollectivesOf(const Reported& reported, uint32_t trace);

}  // namespace stepscope::fleet
