#pragma once

#include <array>
#include <string>
#include <vector>

#include "analyze/idle/idle_gaps.h"
#include "base/flat_index.h"
#include "trace/trace.h"

namespace stepscope {

// A stretch of a gap with one cause.
struct IdlePiece {
  TimeNs start;
  DurationNs length;
  Cause cause = Cause::kUnknown;
  uint32_t blamed = kNoRow;  // slice
};

// Adds up idle time by cause: how long, how often, the longest stretch, and the code that most of
// it is spent in.
class CauseTotals {
 public:
  CauseTotals(const Trace& trace, int32_t device) : trace_(trace), device_(device) {}

  // The pieces of one gap, in order, adjoining ones of the same cause not yet joined.
  void AddGap(const std::vector<IdlePiece>& pieces, uint32_t next_work, uint32_t step);
  // By time, then cause. Causes that never occurred are left out.
  std::vector<IdleCause> Rows() const;

 private:
  struct Total {
    DurationNs time;
    uint64_t gaps = 0;
    IdleGap longest;
    FlatIndex places;                     // (owner's name, blamed name)
    std::vector<DurationNs> place_time;   // by place
    std::vector<uint32_t> place_of_name;  // of those without an owner
  };
  void AddPlace(Total& total, const IdlePiece& piece);
  uint32_t PlaceOf(Total& total, uint32_t slice);
  std::string ExampleOf(const Total& total) const;

  const Trace& trace_;
  int32_t device_;
  std::array<Total, kCauses> totals_;
};

}  // namespace stepscope
