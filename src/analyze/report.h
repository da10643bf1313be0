#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <stop_token>
#include <string>
#include <vector>

#include "analyze/breakdown/breakdown.h"
#include "analyze/breakdown/device_sets.h"
#include "analyze/comms/comms.h"
#include "analyze/counters/counters.h"
#include "analyze/hlo/hlo.h"
#include "analyze/idle/idle_gaps.h"
#include "analyze/input/input.h"
#include "analyze/kernels/kernels.h"
#include "analyze/launches/launches.h"
#include "analyze/memory/memory.h"
#include "analyze/modules/modules.h"
#include "analyze/ops/ops.h"
#include "analyze/recorded/recorded.h"
#include "analyze/report_options.h"
#include "analyze/verdict/verdict.h"
#include "base/diagnostics.h"
#include "base/task_pool.h"
#include "base/time.h"
#include "link/linked_trace.h"

// The result of all analyses of one trace: the struct behind `report --json` (docs/report-json.md),
// the text, the page and Python. Present turns it into words and does no arithmetic. Names are
// StringIds of the trace they were worked out from where rows are many, std::string elsewhere. Each
// part is declared beside the analysis that makes it.
namespace stepscope {

class ReplayOfSteps;  // analyze/whatif/replay.h

struct StepStatistics {
  uint32_t used = 0;
  std::optional<DurationNs> median, min, max, p95;  // over used steps; lower middle
  // What a step takes without the profiler: of the steps that the recorder timed while none ran,
  // and how many they are; else estimated, with the range it lies in.
  std::optional<DurationNs> unprofiled_median, unprofiled_lo, unprofiled_hi;
  uint64_t unprofiled = 0;
  // The step that advice is about: the unprofiled one where it is known.
  std::optional<DurationNs> real_median() const {
    return unprofiled_median ? unprofiled_median : median;
  }
};

// Whether the step without the profiler is shorter by so much that both are worth saying.
inline bool ProfilerMatters(DurationNs recorded, DurationNs unprofiled) {
  return unprofiled.ns * 10 < recorded.ns * 9;
}

struct Report {
  StepStatistics step_statistics;
  std::vector<StepBreakdown> breakdown;  // one per step
  std::vector<DeviceTimeline> device_timeline;
  std::vector<DeviceBusy> device_busy;   // one per row of device_timeline
  std::vector<IdleCause> idle_causes;    // over all steps; by device, then time, then cause
  std::vector<IdleGaps> idle_gaps;       // of every device, or of the host where there is none
  std::vector<OpRow> ops, ops_by_shape;  // by device time, host time, name
  std::vector<ScopeRow> modules;
  std::vector<KernelRow> kernels;
  std::vector<HloRow> hlo;  // by time, then name
  Launches launches;
  std::vector<MemoryRow> memory;
  std::optional<Communication> communication;
  Input input;
  std::vector<CounterRow> counters;
  std::vector<PythonRow> python;  // by self time, total time, file, line
  Verdict verdict;
  std::shared_ptr<const ReplayOfSteps> replay;  // of some used steps
  Diagnostics quality;  // the readers', and what linking and the analyses add
};

// All analyses of one trace. Pure: same trace, same report at any number of threads. The steps of
// the options are those the trace was linked with. Ends soon after it is asked to stop, without a
// report.
std::optional<Report> Analyze(const LinkedTrace& linked, const Diagnostics& read_diagnostics,
                              const ReportOptions& options, TaskPool& pool,
                              const std::stop_token& stop);
inline Report Analyze(const LinkedTrace& linked, const Diagnostics& read_diagnostics,
                      const ReportOptions& options, TaskPool& pool) {
  return *Analyze(linked, read_diagnostics, options, pool, {});
}

}  // namespace stepscope
