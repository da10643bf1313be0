#pragma once

#include <cstddef>
#include <string>

#include "base/time.h"
#include "fleet/rows.h"

namespace stepscope::fleet {

// A path to read and with how many threads.
struct FileJob {
  size_t index = 0;  // of the paths
  unsigned threads = 1;
};

struct FileResult {
  size_t index = 0;
  std::string block;  // EncodeRows
  DurationNs took{};
  Status status = Status::kOk;
};

}  // namespace stepscope::fleet
