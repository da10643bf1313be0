#pragma once

#include <optional>
#include <string>
#include <vector>

#include "analyze/report_options.h"
#include "query/database.h"

namespace stepscope::query {

// What of a profile leaves.
struct RowSelection {
  std::optional<int64_t> first_step, last_step;  // by number
  std::string device;                            // "gpu:0"
  bool all() const { return !first_step && !last_step && device.empty(); }
};

// The rows of a table that are selected, ascending; nothing where all are. Rows belong to the step
// of their slice, else to the one in which they lie; rows of the host belong to every device.
SqlResult<std::optional<std::vector<uint32_t>>> SelectedRows(Database& database,
                                                             const SqlTable& table,
                                                             const RowSelection& selection);

}  // namespace stepscope::query
