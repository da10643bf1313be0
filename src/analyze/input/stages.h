#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "base/time.h"

namespace stepscope {

struct InputStage {
  std::string name, path;
  DurationNs self;
  uint64_t calls = 0;
  bool user_written = false;
  // tf.data only.
  DurationNs total;
  DurationNs blocking;     // of the program's waits: adds up to them over all stages
  std::string written_as;  // the dataset's own name: "fused(MapDataset:1,BatchDatasetV2:2)"
  std::optional<int64_t> parallelism, buffer_limit;
  std::optional<double> buffered;  // elements that its calls found in the buffer, mean
  uint64_t buffer_seen = 0;        // calls that say so
  uint64_t buffer_empty = 0;       // of them those that found none
  bool autotuned = false;
};
struct Input {
  std::vector<DurationNs> wait;    // per step
  std::vector<InputStage> stages;  // bottleneck first
};

}  // namespace stepscope
