#pragma once

#include <sqlite3.h>

#include <string>

#include "query/query_tables.h"

namespace stepscope::query {

// Makes every table known to a connection as a virtual table that nobody has to create. The tables
// have to stay as long as the connection. Returns SQLite's code.
int RegisterTables(sqlite3* database, const QueryTables& tables);

// Hands a sentence to SQLite, which shows it as the error of the statement.
void SetMessage(sqlite3_vtab* table, std::string_view sentence);

// A name as SQL writes it: "name".
std::string QuotedName(std::string_view name);

}  // namespace stepscope::query
