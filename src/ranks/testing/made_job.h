#pragma once

#include <cstdint>
#include <vector>

#include "ranks/jobs.h"

namespace stepscope {

// A job that never ran: every rank works, meets the others in collectives and goes on, on a clock
// of its own. All that an analysis has to find out is known.
struct MadeJob {
  uint32_t ranks = 4;
  uint32_t steps = 8;
  int64_t step_ns = 20'000'000;  // of work, without communication
  double noise = 0.01;           // of the work, normal
  bool small_calls = true;       // one of 4 bytes in each step
  uint32_t large_calls = 3;      // in each step, 32 MiB
  int64_t most_offset_ns = 5'000'000;
  int64_t straggler = -1;      // the rank that has more to do in every step
  double excess = 0.1;         // how much, of the step
  int64_t ring_ns = 0;         // by which each rank ends large calls after the one before it
  int64_t jitter_ns = 3000;    // within which members leave a small call
  bool late_at_first = false;  // the straggler is late before the first call of a step alone
  bool rotating = false;       // another straggler in each step
  int64_t slow_step = -1;      // the only step in which `straggler` is late
  bool sequences = false;      // calls have sequence numbers
  double drift = 0;            // of each clock, at most, either way
  uint64_t seed = 1;
};

struct MadeRanks {
  std::vector<RankDigest> digests;
  std::vector<int64_t> offsets;  // what to add to each file's times, less that of rank 0
  std::vector<double> drifts;    // and for every nanosecond since its first event
};
MadeRanks MakeJob(const MadeJob& made);

// The job's analysis, with all ranks present.
Job AnalyzeMade(const MadeRanks& made);

}  // namespace stepscope
