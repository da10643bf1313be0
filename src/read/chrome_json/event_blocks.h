#pragma once

#include <cstdint>
#include <map>
#include <mutex>
#include <string>
#include <utility>
#include <vector>

#include "base/result.h"
#include "io/random_access.h"
#include "trace/trace.h"

namespace stepscope::chrome_json {

// Reads many events again by their ordinals: keeps the blocks it has walked, up to 256 MiB of text,
// so that each is inflated and walked once. Safe for several threads.
class EventBlocks {
 public:
  // As ReadEventText.
  Result<std::string> Text(RandomAccess& file, const std::vector<EventPlace>& places,
                           uint64_t event);

 private:
  struct Block {
    std::string text;
    std::vector<std::pair<size_t, size_t>> events;  // begin and length of each
  };
  static Result<Block> ReadBlock(RandomAccess& file, uint64_t offset, uint64_t bytes);

  std::mutex mutex_;
  std::map<uint64_t, Block> blocks_;  // by offset
  size_t bytes_ = 0;
};

}  // namespace stepscope::chrome_json
