#pragma once

#include <cstdint>
#include <vector>

#include "read/block_writer.h"

namespace stepscope::perfetto {

// Set in the numbers of flows between the host and GPU render stages, which count apart from those
// that events carry.
inline constexpr uint64_t kStageFlow = uint64_t{1} << 63;

// Perfetto's flows connect events that carry the same number, in the order of time, until one
// terminates it. Gathered while reading; arrows when all is read.
class Flows {
 public:
  void Add(uint64_t id, int64_t time, uint32_t track, uint32_t event, bool terminates) {
    uses_.push_back({id, time, track, event, terminates});
  }
  // Arrows that end on rows of device work are launches.
  void Finish(BlockWriter& out);

 private:
  struct Use {
    uint64_t id;
    int64_t time;
    uint32_t track;
    uint32_t event;
    bool terminates;
  };
  std::vector<Use> uses_;
};

}  // namespace stepscope::perfetto
