#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "ranks/job.h"

namespace stepscope {

// Which files are ranks of one job, and in which order.
struct JobFiles {
  std::string name;             // what the paths have in common
  std::vector<size_t> members;  // of the digests, by rank
  std::vector<int64_t> ranks;   // of the members
  int64_t world_size = 0;
};

// Ranks of one job name their rank (in the file, or in the path: rank3, r3, _3_of_8), agree on how
// many there are and on their groups, and have paths that differ in the rank alone; where paths
// differ in more (time, process), they must have run at the same time. XPlanes of one folder are
// the hosts of one run. Files that are named by host and process
// (node1_4711.17.pt.trace.json) and know no rank are a job if they communicate and ran at the same
// time. A profile that belongs to no other is in no job.
std::vector<JobFiles> GroupJobs(std::span<const RankDigest> digests);

// What a path says about the rank, and the path without it.
struct RankInPath {
  std::optional<int64_t> rank, world_size;
  std::string rest;
};
RankInPath RankOfPath(std::string_view path);

// One run of several with different numbers of devices.
struct ScalingRun {
  int64_t devices = 0;
  std::string name;
  DurationNs step{}, compute{}, exposed_transfer{}, exposed_wait{},
      idle{};  // means; idle: the rest
  double efficiency = 1;
  // Against the smallest run; adds up to step - ideal step.
  DurationNs loss{}, loss_compute{}, loss_transfer{}, loss_wait{}, loss_idle{};
};
struct Scaling {
  bool weak = true;              // each device has as much to do, however many there are
  std::vector<ScalingRun> runs;  // by devices
};

// All that was read, and what it says together.
struct JobsReport {
  std::vector<RankDigest> digests;
  std::vector<Job> jobs;      // the one with most ranks first
  std::vector<size_t> alone;  // digests that are in no job
  std::optional<Scaling> scaling;
};
JobsReport AnalyzeJobs(std::vector<RankDigest> digests);

// None where there are no two runs of one program with different numbers of devices.
std::optional<Scaling> FindScaling(const JobsReport& report);

}  // namespace stepscope
