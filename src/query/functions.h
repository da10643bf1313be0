#pragma once

#include <sqlite3.h>

#include <span>
#include <string_view>

#include "tables/column.h"

namespace stepscope::query {

// A function that SQLite lacks and profiles want.
struct FunctionFacts {
  std::string_view call;  // "percentile(x, p)"
  tables::Words meaning;
};
std::span<const FunctionFacts> Functions();

// Returns SQLite's code.
int RegisterFunctions(sqlite3* database);

}  // namespace stepscope::query
