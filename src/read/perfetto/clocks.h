#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string_view>
#include <utility>
#include <vector>

namespace stepscope::perfetto {

// The clocks of a trace. Snapshots say what several of them showed at one moment; a time of any
// clock becomes one of the trace's own clock through the last snapshot before it. Clocks 64 to 127
// belong to one sequence of packets.
class Clocks {
 public:
  void AddSnapshot(uint32_t sequence, std::string_view message);
  // No value where no snapshot ties the clock to the trace's.
  std::optional<int64_t> ToTrace(uint32_t sequence, uint32_t clock, uint64_t timestamp);
  // What to add to the trace's clock to get Unix time.
  std::optional<int64_t> unix_offset_ns() const { return unix_offset_ns_; }

 private:
  struct Clock {
    uint64_t multiplier = 1;
    bool incremental = false;
    int64_t last = 0;                                 // of an incremental clock, in ns
    std::vector<std::pair<int64_t, int64_t>> points;  // its time, the trace's time
  };
  static uint64_t KeyOf(uint32_t sequence, uint32_t clock);
  static std::optional<int64_t> Convert(const Clock& clock, int64_t time);

  uint32_t trace_clock_ = 6;  // BOOTTIME
  std::map<uint64_t, Clock> clocks_;
  std::optional<int64_t> unix_offset_ns_;
};

}  // namespace stepscope::perfetto
