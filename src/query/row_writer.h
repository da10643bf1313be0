#pragma once

#include <string_view>

#include "base/result.h"
#include "query/database.h"

namespace stepscope::query {

inline constexpr std::string_view kQuerySchema = "stepscope.query/1";

// Writes the rows of one query.
class RowWriter : public RowTaker {
 public:
  // After the last row; says what went wrong with any of them.
  virtual Result<void> Finish(const QueryOutcome& outcome) = 0;
};

}  // namespace stepscope::query
