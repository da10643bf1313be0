#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "analyze/idle/cause.h"
#include "base/intervals.h"
#include "base/time.h"
#include "ranks/collective.h"
#include "trace/trace.h"

// What a job needs to know of one of its ranks. A trace is digested and let go: a digest takes a
// few hundred kilobytes where a trace takes megabytes.
namespace stepscope {

// A set of ranks that communicate.
struct RankGroup {
  std::string name, description, backend;
  int64_t size = -1;                // -1: not known
  std::vector<int64_t> ranks = {};  // ascending; empty: not known

  friend bool operator==(const RankGroup&, const RankGroup&) = default;
};

// What calls have in common that can be one and the same call on several ranks.
struct CallSignature {
  uint32_t group = 0;  // of the digest's groups
  CollectiveType type = CollectiveType::kOther;
  std::string dtype;
  int64_t in_elements = -1, out_elements = -1;
  int64_t element_bytes = 0;
  int64_t bytes = -1;       // nccl-tests' S
  int64_t peer = -1;        // the other rank of a send or receive
  int64_t channel = -1;     // of XLA: the same on all hosts that take part
  std::string instruction;  // of XLA, where it has no channel

  friend bool operator==(const CallSignature&, const CallSignature&) = default;
};

// One call of one rank: on a device all its kernels together, on the host the span.
struct RankCall {
  TimeNs start, end;  // since the trace's first event
  uint32_t signature = 0;
  uint32_t step = kNoRow;  // of the digest's steps
  uint32_t event = 0;
  uint32_t lane = 0;      // calls of one lane run one after the other
  int64_t sequence = -1;  // of its group; -1: not recorded
  uint64_t id = 0;        // the same on all ranks of a call; 0: not recorded
};

struct RankStep {
  int64_t number = 0;
  TimeNs start, end;
  bool used = true;
  DurationNs compute, exposed, copy, input, idle;  // exposed: communication; copy: nothing else ran
  std::array<DurationNs, kCauses> idle_causes{};
};

// A kernel (an op, where the host is the device) under one name, in used steps.
struct WorkTotal {
  std::string name;
  uint64_t calls = 0;
  DurationNs total{};
  uint64_t blocks = 0;  // of all calls' grids
};

// A region that the program named, per used step.
struct RegionTotal {
  std::string name;
  DurationNs total{};
  bool input = false;
};

struct RankDigest {
  std::string path;
  Format format = Format::kChrome;
  std::string framework, host, device;
  std::optional<int64_t> rank, world_size;  // as the file says
  int64_t epoch_ns = 0;                     // of the trace's first event; 0: not known
  DurationNs span{};
  std::vector<RankGroup> groups;
  std::vector<CallSignature> signatures;
  std::vector<RankCall> calls;  // by start
  bool on_host = false;         // the calls are spans of the host
  bool communicates = false;    // something in the file is communication, by its name
  std::vector<RankStep> steps;
  bool numbered = false;  // the steps' numbers come from the program
  std::vector<WorkTotal> work;
  std::vector<RegionTotal> regions;
  uint64_t copied_bytes = 0;  // to the device, in used steps
  double input_elements = 0;  // of all ops' inputs
  // Where the rank's time goes, as sets: what no interval covers is the host's time or idle.
  IntervalSet compute, exposed, copy, input;
  // For a list of profiles that are no job.
  std::string bound_by;
  uint64_t warnings = 0;
  bool cut = false;  // the file is damaged: events that it had are not here
  std::optional<DurationNs> median_step;

  uint32_t used_steps() const {
    uint32_t used = 0;
    for (const RankStep& step : steps) used += step.used ? 1 : 0;
    return used;
  }
  DurationNs DurationOf(const RankCall& call) const { return call.end - call.start; }
};

}  // namespace stepscope
