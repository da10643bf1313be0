#pragma once

#include <optional>
#include <stop_token>
#include <string>
#include <vector>

#include "base/result.h"
#include "opened_profile.h"
#include "table.h"

namespace stepscope::python {

// The rows of a query, kept by column. A fault of the SQL is an Error with its place in the text.
Result<TableData> QueryRows(OpenedProfile& opened, const std::string& sql,
                            const std::vector<std::string>& arguments,
                            std::optional<double> timeout, const std::stop_token& stop);

}  // namespace stepscope::python
