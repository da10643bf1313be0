#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "base/result.h"
#include "base/task_pool.h"
#include "io/atomic_file.h"
#include "io/byte_source.h"
#include "tools/data/pack/pack_plan.h"

namespace stepscope {

struct PackResult {
  uint64_t shards = 0;
  uint64_t shards_kept = 0;  // complete from an earlier run
  uint64_t records = 0;
  uint64_t bytes = 0;  // written now
  std::vector<std::string> paths;
};

// Writes the shards of the plan into the directory, each under its name only when it is complete,
// and a manifest beside them. Where the manifest of the same plan is there already, complete shards
// are kept and the rest is written. The bytes do not depend on the number of threads.
Result<PackResult> Pack(const PackPlan& plan, const std::string& directory, Overwrite overwrite,
                        TaskPool& pool, const Progress& progress);

}  // namespace stepscope
