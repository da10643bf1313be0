#pragma once

#include <deque>
#include <memory>
#include <string>
#include <vector>

#include "base/result.h"
#include "read/run_metadata/run_metadata_proto.h"
#include "study/study.h"
#include "tools/timeline/timeline_plan.h"

namespace stepscope {

enum class TimelineFormat : uint8_t { kChrome, kPerfetto };
// What the file's name says: .pftrace and .perfetto-trace are Perfetto's, all else is Chrome's.
TimelineFormat TimelineFormatForName(std::string_view path);

// Writes the plan to a file, compressed if its name says so.
Result<void> WriteTimelineFile(const TimelinePlan& plan, const TimelineOptions& options,
                               TimelineFormat format, const std::string& path);

// What inputs of timelines look into besides their traces.
class TimelineExtras {
 public:
  // RunMetadata is read once more for what a trace does not hold. `path` is its file; nothing
  // happens for traces of other formats.
  void Add(const std::string& path, TimelineInput& input);

 private:
  std::deque<RunMetadata> runs_;
};

// Sets the offset of every input's clock. The report's digests are the inputs, in their order. An
// Error where they are no job, or where its clocks cannot be aligned.
struct JobsReport;
Result<void> AlignByCollectives(const JobsReport& report, std::vector<TimelineInput>& inputs);

// Profiles opened for one timeline, each path by itself, so that every file is a run of its own.
// Alive until the timeline is written: inputs look into it.
class TimelineSources {
 public:
  Result<void> Open(const std::string& path, unsigned threads);
  std::vector<TimelineInput> TakeInputs() { return std::move(inputs_); }
  // Gives ranks of one job one clock.
  Result<void> Align();

 private:
  std::vector<std::unique_ptr<Study>> studies_;
  TimelineExtras extras_;
  std::vector<TimelineInput> inputs_;
};

}  // namespace stepscope
