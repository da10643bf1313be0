#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "base/ids.h"
#include "base/result.h"
#include "base/string_table.h"

namespace stepscope {

// A PyTorch memory snapshot: what the caching allocator holds, and what it did before.
struct MemorySnapshot {
  // Where memory was asked for, as "train.py:31 forward"; paths of the machine are left out.
  using Site = StringId;
  // The modules that were called around it, as "model.py:40 > model.py:12 > block.py forward":
  // where each called the next, and the innermost. In parentheses what ran outside of modules.
  using Module = StringId;

  struct Block {
    uint64_t address = 0;
    int64_t size = 0;
    int64_t requested = 0;
    bool active = false;  // allocated, or waiting for a stream to let go
    Site site = kEmptyString;
    Module module = kEmptyString;
  };
  struct Segment {
    int64_t device = 0;
    int64_t total = 0;
    int64_t allocated = 0;
    bool private_pool = false;  // of a CUDA graph
    std::vector<Block> blocks;
  };
  enum class Action : uint8_t {
    kAlloc,
    kFreeRequested,
    kFreeCompleted,
    kSegmentAlloc,
    kSegmentFree,
    kOutOfMemory,
    kOther
  };
  struct Event {
    Action action = Action::kOther;
    uint64_t address = 0;  // of kOutOfMemory: the bytes that the device still had
    int64_t size = 0;
    int64_t time_us = 0;
    Site site = kEmptyString;
    Module module = kEmptyString;
  };
  struct Mark {
    StringId name = kEmptyString;
    int64_t device = 0;
    int64_t time_us = 0;
  };

  StringTable strings;
  std::vector<Segment> segments;
  std::vector<std::vector<Event>> traces;  // by device
  std::vector<Mark> marks;                 // where annotations begin, by time
  std::vector<Mark> mark_ends;             // where they end
  bool expandable_segments = false;
};

// Reads the pickle of torch.cuda.memory._dump_snapshot(), or the bare list of segments.
Result<MemorySnapshot> ReadMemorySnapshot(const std::string& path);
Result<MemorySnapshot> ParseMemorySnapshot(std::string_view bytes, const std::string& path);

}  // namespace stepscope
