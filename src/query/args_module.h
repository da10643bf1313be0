#pragma once

#include <sqlite3.h>

#include "query/query_tables.h"

namespace stepscope::query {

// The table `args` and the function extract_arg(arg_set_id, key): the arguments of an event as its
// file has them, which the trace does not keep. They are read again from the file, so that a query
// has to say of which slices. Returns SQLite's code.
int RegisterArgs(sqlite3* database, const QueryTables& tables);

// The names of its columns, in the order of the table.
std::span<const std::string_view> ArgsColumns();

}  // namespace stepscope::query
