#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "ranks/clocks.h"
#include "ranks/matching.h"
#include "ranks/rank_digest.h"
#include "words/message.h"

// One answer for a job of many processes: docs/ranks.md defines every number.
namespace stepscope {

enum class CostKind : uint8_t { kTransfer, kArrivalSkew, kMixed, kCannotTell };
std::string_view NameOf(CostKind cost);

struct TimeSpread {
  DurationNs median{}, p10{}, p90{}, max{}, sum{};
};

// The calls of one signature.
struct JobCollective {
  uint32_t group = 0;
  CollectiveType type = CollectiveType::kOther;
  std::string dtype;
  int64_t bytes = -1;
  int64_t channel = -1;     // of XLA
  std::string instruction;  // of XLA, where it has no channel
  uint64_t calls = 0, complete = 0;
  std::optional<TimeSpread> transfer;  // none: clocks cannot tell it
  bool by_clock = false;               // else from the shortest duration
  TimeSpread wait, skew;
  std::optional<double> algorithm_bandwidth, bus_bandwidth, peak;  // bytes a second
  std::optional<double> imbalance;  // largest over mean bytes of a rank, of all_to_allv
  CostKind cost = CostKind::kCannotTell;
};

struct JobRank {
  int64_t rank = 0;
  std::string path, host;
  uint32_t steps = 0;
  DurationNs step{}, own{};  // medians over used steps
  // Means over used steps.
  DurationNs compute{}, exposed_transfer{}, exposed_wait{}, copy{}, input{}, idle{};
  DurationNs wait{};  // in all calls
  uint64_t last = 0, first = 0;
  std::optional<double> z;
  bool counts = true;  // false: the file is cut, and too few of its steps are whole
};

enum class StragglerCause : uint8_t {
  kInput,
  kMoreWork,
  kSlowerKernels,
  kLaunch,
  kCopies,
  kUnknown
};
std::string_view NameOf(StragglerCause cause);

struct Straggler {
  uint32_t position = 0;
  int64_t rank = 0;
  bool consistent = false;
  DurationNs excess{};              // of own time over the others', median over steps
  DurationNs gain_lo{}, gain_hi{};  // what all would gain a step
  StragglerCause cause = StragglerCause::kUnknown;
  std::optional<double> factor;  // of slower kernels
  double factor_spread = 0;
  std::string region;  // that the program named, where most of the excess is
  double last_share = 0;
  Message sentence;
};

// A step in which one rank took far longer than it usually does.
struct SlowStep {
  int64_t step = 0;
  int64_t rank = 0;
  DurationNs excess{};
};

struct Pipeline {
  uint32_t stages = 0;
  uint32_t micro_batches = 0;
  double measured_bubble = 0, ideal_bubble = 0, stage_imbalance = 1;
};

enum class PathKind : uint8_t { kCompute, kTransfer, kInput, kCopy, kHost };
inline constexpr size_t kPathKinds = 5;
std::string_view NameOf(PathKind kind);
struct PathPart {
  int64_t rank = 0;
  PathKind kind = PathKind::kCompute;
  DurationNs time{};
};

// Of a rank whose file is cut there.
inline constexpr DurationNs kNoOwnTime{-1};

// How late each rank came to the step's collectives, summed, by step and position.
struct Lateness {
  std::vector<int64_t> steps;                 // numbers
  std::vector<std::vector<DurationNs>> late;  // by step, then position
  std::vector<std::vector<DurationNs>> own;
};

// Calls of all ranks, on the reference's clock since the job's first call.
struct JobCall {
  uint32_t collective = 0;  // of Job::collectives
  int64_t step = 0;
  bool in_step = false;
  std::vector<Interval> of_rank;  // by position; empty where the rank has none
  std::vector<std::optional<uint32_t>> events;
};

struct Job {
  std::vector<size_t> members;  // of the digests, by rank
  std::string name;             // what the paths have in common
  int64_t world_size = 0;
  std::vector<JobGroup> groups;
  Clocks clocks;
  std::vector<JobCollective> collectives;  // by time in them
  std::vector<JobRank> ranks;
  DurationNs step{};           // median over ranks of their medians
  DurationNs skew_per_step{};  // mean arrival skew, summed over a step's calls
  uint64_t judged_calls = 0;   // those whose last rank can be told, or is a tie
  std::optional<Straggler> straggler;
  std::vector<SlowStep> slow_steps;
  std::optional<Pipeline> pipeline;
  std::vector<PathPart> critical_path;  // by time; adds up to path_time
  DurationNs path_time{};
  Lateness lateness;
  std::vector<JobCall> calls;  // by time
  std::vector<Mismatch> mismatches;
  uint32_t pace = 0;  // position of the rank that sets the pace
};

}  // namespace stepscope
