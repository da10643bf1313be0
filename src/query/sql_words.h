#pragma once

#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "base/message.h"

namespace stepscope::query {

// Names that a query may use.
struct SqlNames {
  std::vector<std::string> tables;
  std::function<std::vector<std::string>(std::string_view table)> columns_of;
};

// The first words of a statement in capitals, without comments: "INCLUDE", "PERFETTO", …
std::vector<std::string> FirstWords(std::string_view sql, size_t most);

// What to try after SQLite's sentence: the nearest table, column or function.
Sentences NextStepFor(std::string_view sentence, std::string_view sql, const SqlNames& names);

// The line of the query with the fault and a caret below it, both ending in a line end. A long line
// is cut around the fault.
std::string CaretAt(std::string_view sql, size_t offset, size_t width);

}  // namespace stepscope::query
