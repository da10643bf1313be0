#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "base/result.h"
#include "io/atomic_file.h"
#include "io/byte_source.h"

namespace stepscope {

struct ReshardOptions {
  uint64_t shard_bytes = uint64_t{100} << 20;
  std::vector<double> parts;  // shares, for instance 0.9 and 0.1; one part when empty
  uint64_t seed = 0;          // decides which part a record goes to
  std::string prefix = "data";
  Overwrite overwrite = Overwrite::kNever;
};

struct ReshardResult {
  uint64_t records = 0;
  uint64_t bytes = 0;
  std::vector<std::string> paths;
  std::vector<uint64_t> part_records;
  uint64_t damaged = 0;  // places that did not hold and were left out
};

// Writes the records of TFRecord files, in their order, into new files of about shard_bytes, for
// each part on its own. Streams: memory is one record. Output is never compressed.
Result<ReshardResult> Reshard(const std::vector<std::string>& files, const std::string& directory,
                              const ReshardOptions& options, const Progress& progress);

struct UnpackResult {
  uint64_t files = 0;
  uint64_t bytes = 0;
  uint64_t damaged = 0;
};

// Writes each record as a file of its own: an Example's image/encoded under its image/filename, a
// raw record under the name that the manifest beside it has, or under its number. Names that lead
// out of the directory lose what leads there.
Result<UnpackResult> Unpack(const std::vector<std::string>& files, const std::string& directory,
                            Overwrite overwrite, const Progress& progress);

}  // namespace stepscope
