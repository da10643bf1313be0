#pragma once

#include <cstdint>
#include <functional>
#include <stop_token>
#include <vector>

#include "base/result.h"
#include "fleet/analyze_options.h"
#include "fleet/listed_path.h"

namespace stepscope::fleet {

// How far it is; `failed` are among `done`.
struct Counts {
  uint64_t all = 0;      // to be read
  uint64_t skipped = 0;  // the tables had them
  uint64_t done = 0, ok = 0, partial = 0, failed = 0;
  uint64_t batches = 0;  // written
};

// Reads the paths and writes their rows: for every batch one file a table,
// DIR/<table>-<batch>.<ending>, and after them its manifest. A batch is named by what is in it.
// Each file appears under its name when it is complete; a batch that was not finished is read again
// by the next call, one that was is skipped. Rows stand in the order of the list.
Result<Counts> AnalyzeFleet(std::vector<ListedPath> paths, const AnalyzeOptions& options,
                            const std::stop_token& stop,
                            const std::function<void(const Counts&)>& progress);

}  // namespace stepscope::fleet
