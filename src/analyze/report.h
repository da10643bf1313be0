#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/diagnostics.h"
#include "base/ids.h"
#include "base/time.h"
#include "link/links.h"
#include "link/steps.h"
#include "trace/trace.h"

// The result of all analyses of one trace: the struct behind `report --json` (docs/report-json.md),
// the text, the page and Python. Present turns it into words and does no arithmetic. Names are
// StringIds of the trace they were worked out from where rows are many, std::string elsewhere.
namespace stepscope {

enum class Cause : uint8_t {
  kInput,
  kSync,
  kLaunch,
  kHostOp,
  kPython,
  kCompile,
  kCommunicationWait,
  kCopyWait,
  kProfiler,
  kBetweenSteps,
  kUnknown
};
inline constexpr size_t kCauses = 11;
std::string_view NameOf(Cause cause);  // "input", "host_op", …

// ---- breakdown ----
struct DeviceStep {
  int32_t device = 0;  // index into Trace::devices
  DurationNs busy, compute, communication, exposed_communication, copy, exposed_copy, memset,
      exposed_memset, idle;
  std::array<DurationNs, kCauses> idle_causes{};  // adds up to idle
};
struct PriorityPartition {  // the TensorBoard plugin's; adds up to the step's duration
  DurationNs kernel, memcpy, memset, communication, runtime, dataloader, cpu_exec, other;
};
struct StepBreakdown {
  std::vector<DeviceStep> devices;
  std::optional<PriorityPartition> priority;  // none for the steps the plugin leaves out
};
struct TimelineTotals {
  DurationNs compute, exposed_communication, exposed_copy, busy, idle,
      total;  // memset counted as compute
};
struct DeviceTimeline {
  int32_t device = 0;
  TimelineTotals linked, all;
  std::optional<double> utilization_percent, sm_efficiency_percent, occupancy_percent,
      tensor_core_percent;
};

// ---- idle ----
struct IdleGap {
  TimeNs start;
  DurationNs length;
  Cause cause = Cause::kUnknown;
  SliceId blamed = kNoSlice;     // what the launching thread was doing
  SliceId next_work = kNoSlice;  // the device slice that ended the gap
  uint32_t step = kNoRow;
};
struct IdleCause {
  int32_t device = 0;
  Cause cause = Cause::kUnknown;
  DurationNs total;
  uint64_t gaps = 0;
  IdleGap longest;
  std::string example;  // "aten::item → cudaStreamSynchronize"
};

// ---- ops, kernels ----
struct OpRow {
  StringId name = kEmptyString;
  Kind kind = Kind::kOp;
  StringId input_dims = kEmptyString;  // ops_by_shape only
  uint64_t calls = 0, calls_outermost = 0, calls_launching = 0;
  DurationNs host_self, host_total, host_total_outermost, host_self_excl_runtime;
  DurationNs device_self, device_total, device_total_outermost, device_self_union;
  DurationNs tensor_core, tensor_core_total;  // of device_self, of device_total
  bool tensor_core_eligible = false;
};
struct LaunchedBy {
  StringId op = kEmptyString;
  DurationNs total;
};
struct KernelRow {
  StringId name = kEmptyString;
  Kind kind = Kind::kKernel;
  int32_t device = 0;
  uint64_t calls = 0;
  DurationNs total, min, max, p50;
  KernelCategory category = KernelCategory::kOther;
  bool tensor_core = false;
  std::vector<LaunchedBy> launched_by;
  std::optional<double> mean_blocks_per_sm, mean_occupancy_percent;
};
// An XLA instruction: what ran of it, and what its compiled module says.
struct HloRow {
  StringId name = kEmptyString;
  StringId module = kEmptyString, category = kEmptyString;
  StringId op_name = kEmptyString;  // the framework's call path: "jit(step)/jit(main)/add"
  StringId source = kEmptyString;   // the Python line that made it: "train.py:31"
  uint64_t calls = 0;
  DurationNs total;
  std::optional<int64_t> flops, bytes;  // of one call
};
// Where ops stand in the program: nn.Module tree, or call stacks where no modules are recorded.
struct ScopeRow {
  std::string path;  // "GPT2 > h.0 > attn"
  uint64_t calls = 0;
  DurationNs host_total, device_total;
};

// ---- launches, memory, input, communication, counters ----
// Work handed to one stream and not yet started: +1 at the start of the call, -1 at the start of
// the work.
struct StreamQueue {
  int32_t device = 0;  // index into Trace::devices
  int32_t stream = -1;
  uint64_t pairs = 0;  // of call and work
  uint64_t max = 0;
  double mean = 0;     // over time, from the first call to the last start
  uint64_t empty = 0;  // work that started when nothing else was queued
  uint64_t full = 0;   // launches that brought the queue to 1,024 or more
};
struct Launches {
  uint64_t calls = 0;  // that launched device work
  uint64_t pairs = 0;  // of call and work: a graph launch makes many
  std::optional<DurationNs> median_call, median_delay;
  DurationNs total_delay, max_delay;  // max(0, start of the work - end of the call)
  uint64_t queue_empty = 0;           // sums over the streams
  uint64_t queue_full = 0;
  std::vector<StreamQueue> queues;  // by device, then stream
};
struct MemoryTopOp {
  StringId op = kEmptyString;
  int64_t bytes = 0;  // allocated by it and live at the peak
};
// One allocator of several that share a device: "cpu" and "gpu_host_bfc", say.
struct MemoryAllocator {
  StringId name = kEmptyString;
  std::optional<int64_t> peak_allocated_bytes, end_allocated_bytes;  // its own figures
  int64_t peak_of_running_sum_bytes = 0;
  uint64_t allocations = 0;
};
struct MemoryRow {
  DeviceType type = DeviceType::kGpu;
  int32_t device = 0;
  // Figures are sums over these, at one time; by name, empty where the file names none.
  std::vector<MemoryAllocator> allocators;
  std::optional<int64_t> peak_allocated_bytes, peak_reserved_bytes, end_allocated_bytes,
      growth_bytes_per_step;
  int64_t peak_of_running_sum_bytes = 0;
  std::optional<TimeNs> peak_at;
  std::vector<MemoryTopOp> top_ops;
};
struct CollectiveRow {
  std::string name;
  uint64_t calls = 0;
  DurationNs total;
  std::optional<int64_t> bytes;
};
struct Communication {
  DurationNs union_time, overlap_with_kernels, exposed_vs_kernels;
  std::vector<CollectiveRow> by_collective;
};
struct InputStage {
  std::string name, path;
  DurationNs self;
  uint64_t calls = 0;
  bool user_written = false;
  // tf.data only.
  DurationNs total;
  DurationNs blocking;     // of the program's waits: adds up to them over all stages
  std::string written_as;  // the dataset's own name: "fused(MapDataset:1,BatchDatasetV2:2)"
  std::optional<int64_t> parallelism, buffer_limit;
  std::optional<double> buffered;  // elements that its calls found in the buffer, mean
  uint64_t buffer_seen = 0;        // calls that say so
  uint64_t buffer_empty = 0;       // of them those that found none
  bool autotuned = false;
};
struct Input {
  std::vector<DurationNs> wait;    // per step
  std::vector<InputStage> stages;  // bottleneck first
};
// A line of Python in sampled stacks: on top (self), anywhere on the stack (total).
struct PythonRow {
  std::string function, file;
  int32_t line = 0;
  uint64_t samples = 0;  // that show it on the stack
  DurationNs self, total;
};
struct CounterRow {
  StringId name = kEmptyString, series = kEmptyString;
  uint64_t samples = 0;
  double min = 0, max = 0, mean = 0, last = 0;
};

// ---- verdict ----
enum class BoundBy : uint8_t {
  kInput,
  kLaunch,
  kSync,
  kHost,
  kCompute,
  kCommunication,
  kCopy,
  kCompile,
  kMixed,
  kUnknown
};
std::string_view NameOf(BoundBy bound);
struct Verdict {
  BoundBy bound_by = BoundBy::kUnknown;
  double share = 0;        // of the median step
  uint32_t step = kNoRow;  // the median used step it was judged on
  int32_t device = -1;
};

struct StepStatistics {
  uint32_t used = 0;
  std::optional<DurationNs> median, min, max, p95;  // over used steps; lower middle
  // Of the steps that the recorder timed while no profiler ran, and how many they are.
  std::optional<DurationNs> unprofiled_median;
  uint64_t unprofiled = 0;
};

struct Report {
  Links links;
  Steps steps;
  StepStatistics step_statistics;
  std::vector<StepBreakdown> breakdown;  // one per step of `steps`
  std::vector<DeviceTimeline> device_timeline;
  std::vector<IdleCause> idle_causes;    // over all steps; by device, then time, then cause
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
  Diagnostics quality;  // the readers' and what the analyses add
};

struct ReportOptions {
  std::optional<int64_t> first_step, last_step;  // --steps 5-8, by number
  std::string device;                            // --device gpu:0
};

// All analyses of one trace. Pure: same trace, same report at any number of threads.
Report Analyze(const Trace& trace, const Diagnostics& read_diagnostics,
               const ReportOptions& options, TaskPool& pool);

}  // namespace stepscope
