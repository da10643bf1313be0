#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "base/time.h"

namespace stepscope {

// What torch.compile wrote down about itself (TORCH_TRACE=dir): compilations, why graphs broke, why
// frames were compiled again. Files are known by their own names; where they lay stays in the log.
struct CompileLog {
  struct Place {
    std::string file;  // without its directory
    int64_t line = 0;
    friend auto operator<=>(const Place&, const Place&) = default;
  };
  // One run of the compiler over one frame.
  struct Compilation {
    std::string id;  // "0/1": frame 0, compiled a second time
    std::string function;
    Place place;
    DurationNs time;      // all of it; the next three lie within
    DurationNs autograd;  // AOT autograd, with inductor inside it
    DurationNs inductor;
    DurationNs code_generation;
    int64_t ops = 0;
    int64_t again = 0;  // 0 the first time that the frame was compiled
    std::string failure;
  };
  // The same cause at the same line is one entry.
  struct Cause {
    std::string text;
    Place place;
    std::string function;
    uint64_t count = 0;
    DurationNs time;  // of the compilations that it caused; breaks have none
  };

  std::vector<Compilation> compilations;  // in the order of the log
  std::vector<Cause> graph_breaks;        // most frequent first
  std::vector<Cause> recompiles;          // longest first
  std::vector<Cause> cudagraph_skips;     // most frequent first
  uint64_t cache_hits = 0;
  uint64_t cache_misses = 0;
  uint64_t cache_bypasses = 0;
  uint64_t records = 0;  // all of the log
  uint64_t damaged = 0;  // records that cannot be read

  DurationNs total() const;
};

// Lines begin like "V1206 15:18:15.925000 1500233 torch/_dynamo/utils.py:1288] {".
bool IsCompileLog(std::string_view head);

CompileLog ReadCompileLog(std::string_view text);

}  // namespace stepscope
