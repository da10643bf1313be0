#pragma once

#include <string>
#include <vector>

#include "command/output.h"
#include "present/style.h"
#include "query/database.h"
#include "query/row_writers.h"

namespace stepscope {

// What `query` was asked for.
struct QueryRequest {
  std::string sql;                     // empty: a prompt
  std::vector<std::string> arguments;  // for ?1, ?2 …
  query::RowFormat format = query::RowFormat::kTable;
  std::string output = "-";
  int64_t limit = -1;  // -1: as the format has it; 0: none
  double timeout = 0;  // seconds; 0: none
  bool explain = false;
  Style style;
};

// Rows that are shown: those of a terminal are limited unless it is said otherwise.
std::optional<uint64_t> RowLimit(const QueryRequest& request);

// Runs the SQL and writes the rows, or prints what is wrong with it. Returns the exit code.
int AnswerQuery(query::Database& database, const QueryRequest& request,
                const std::stop_token& stop);

// A name of the library with its arguments, "shapes-of aten::mm", becomes its SQL.
bool TakeSaved(std::string_view text, QueryRequest& request);

// Asks for statements until the input ends. Returns the exit code of the last one that failed.
int RunQueryPrompt(query::Database& database, QueryRequest request);

}  // namespace stepscope
