#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "read/chrome_json/seen_groups.h"
#include "trace/event_block.h"

namespace stepscope::chrome_json {

// What a span without a category of its own says about device work. Whether it is any is known only
// when all rows have their names: dialects.h.
struct Deferred {
  uint32_t row = 0;  // of the block's spans
  DeviceArgs device;
  StringId kernel_details = kEmptyString;    // of XLA: registers, grid, occupancy in words
  StringId transfer_details = kEmptyString;  // bytes of a copy in words
  StringId op = kEmptyString;                // the framework's name of the op: TensorFlow, XLA
  StringId op_type = kEmptyString;           // timeline.py
  int64_t step = -1;
  bool hlo = false;  // names an XLA instruction
};

enum class ChunkEnd : uint8_t {
  kBetweenEvents,  // all bytes used, no event is cut
  kInsideEvent,    // `consumed` is where the cut event begins
  kArrayClosed,    // `consumed` is behind the bracket
};

// One piece of the event list, parsed.
struct ParsedChunk {
  EventBlock block;
  ChunkEnd end = ChunkEnd::kBetweenEvents;
  size_t consumed = 0;
  bool bracket_missing = false;  // the list was ended by the brace of the object around it

  std::array<uint64_t, 128> phases{};  // by letter
  std::map<std::string, uint64_t> other_phases;
  std::map<std::string, uint64_t> complete_by_category;
  std::vector<Deferred> deferred;
  std::vector<SeenGroup> groups;  // of collectives
};

}  // namespace stepscope::chrome_json
