#pragma once

#include <cstdint>
#include <vector>

#include "read/block_writer.h"

namespace stepscope::perfetto {

// Joins the begin and the end of slices while they are read: packets of a track nearly always come
// in order of time, and half events that are sorted and joined later cost more than all else.
class OpenSlices {
 public:
  explicit OpenSlices(BlockWriter& out) : out_(out) {}

  void Begin(uint32_t track, int64_t time, StringId name, Kind kind, uint32_t args);
  // The name is empty where the packet has none.
  void End(uint32_t track, int64_t time, StringId name);
  // False after an event that is older than the one before it on its track, or an end that is not
  // of the innermost slice. Then only sorted halves tell what belongs together.
  bool in_order() const { return in_order_; }
  // Slices without an end become half events.
  void Finish();

 private:
  struct Row {
    int64_t last;
    std::vector<uint32_t> open;  // spans of the block, the innermost last
  };
  Row& RowAt(uint32_t track, int64_t time);

  BlockWriter& out_;
  std::vector<Row> rows_;  // by track
  bool in_order_ = true;
};

}  // namespace stepscope::perfetto
