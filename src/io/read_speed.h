#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "base/result.h"
#include "io/byte_source.h"

namespace stepscope {

struct FileToRead {
  std::string path;
  uint64_t bytes = 0;
};

// One way of reading, measured on the real files.
struct ReadSpeed {
  enum class Cache : uint8_t { kCold, kWarm };
  enum class Pattern : uint8_t { kSequential, kRandom };
  Cache cache = Cache::kCold;
  Pattern pattern = Pattern::kSequential;
  unsigned threads = 1;
  uint64_t bytes = 0;
  uint64_t reads = 0;
  double seconds = 0;
  // Share of the pages that were in memory when it began: above a few percent the cold numbers are
  // not of the disk. nullopt: the kernel would not tell.
  std::optional<double> resident;

  double BytesPerSecond() const { return seconds > 0 ? static_cast<double>(bytes) / seconds : 0; }
};

struct MeasureOptions {
  uint64_t most_bytes = uint64_t{1} << 30;  // of the files, evenly chosen, that are read
  double most_seconds = 3;                  // a measurement
  unsigned most_threads = 4;
  uint64_t random_bytes = uint64_t{64} << 10;  // of one random read
};

// Sequential: threads take the next 4 MiB (or file). Random: reads of random_bytes at random
// places. Cold first (after asking the kernel to forget the pages), then warm, each with 1, 2, 4 …
// threads.
std::vector<ReadSpeed> MeasureReads(const std::vector<FileToRead>& files,
                                    const MeasureOptions& options, const Progress& progress);

}  // namespace stepscope
