#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "advise/finding.h"
#include "analyze/idle/cause.h"
#include "base/time.h"

// What a fleet keeps of a profile: a few rows of fixed tables (fleet/columns.h, docs/fleet.md). A
// row needs no trace and no other row; a profile takes some 13 KB as Parquet.
namespace stepscope::fleet {

// kPartial: bytes of the file were cut or damaged; the rows say what could be read.
enum class Status : uint8_t { kOk, kPartial, kFailed };
std::string_view NameOf(Status status);  // "ok", "partial", "failed"

// Why a path has no rows but that of `profiles`.
enum class FailureCode : uint8_t {
  kCannotRead,
  kDamaged,
  kUnsupported,
  kTimeout,      // took longer than the limit of a file
  kOutOfMemory,  // needed more than the limit of a file
  kCrashed,      // the process that read it died
};
std::string_view NameOf(FailureCode code);  // "cannot_read", …

// Columns that every table begins with.
struct FileKey {
  // XXH3-128 of the content as hex digits: copies have the same. None where nothing could be read.
  std::optional<std::string> profile_id;
  std::string day;  // UTC, "2026-11-16": of the profile's start, else of the file's last change
  // Of the program that read the file: readings by two versions stand beside each other.
  std::string stepscope_version = {};
};

struct ProfileRow {
  std::string path;
  std::optional<int64_t> bytes, mtime_unix_ns;
  // From the file, else from the path or the list.
  std::optional<std::string> job_id, run_id, host;
  std::optional<int64_t> attempt, rank, world_size;
  std::optional<std::string> format, framework, framework_version, cuda_version, driver_version,
      device_name;
  std::optional<int64_t> device_count, traces, start_unix_ns, span_ns, events, diagnosed;
  // Of the trace with the longest step.
  std::optional<int64_t> steps_used, step_median_ns, step_p95_ns, step_mad_ns;
  std::optional<std::string> bound_by;
  // Of the median step on the device that the verdict is about, or of the whole profile where it
  // has no steps. The parts add up to window_ns.
  std::optional<int64_t> window_ns, compute_ns, exposed_communication_ns, exposed_copy_ns,
      exposed_memset_ns, idle_ns;
  std::array<std::optional<int64_t>, kCauses> idle_causes{};
  std::optional<int64_t> peak_memory_bytes;
  std::optional<double> gpu_util_percent, sm_efficiency_percent, device_seconds;
  std::optional<int64_t> findings_high;
  double weight = 1;  // how many such profiles the sample stands for
  Status status = Status::kOk;
  std::optional<FailureCode> error_code;
  std::optional<std::string> error;
};

struct StepRow {
  uint32_t trace = 0;
  int64_t step = 0;
  std::string device;
  std::optional<int64_t> start_unix_ns;
  DurationNs duration;
  bool used = true;
  std::optional<std::string> why_unused;
  DurationNs compute, exposed_communication, exposed_copy, exposed_memset, idle;
};

struct FindingRow {
  uint32_t trace = 0;
  uint32_t place = 0;  // 1: the most valuable
  std::string rule;
  FindingSeverity severity = FindingSeverity::kNote;
  Confidence confidence = Confidence::kMedium;
  DurationNs saving_lo, saving_hi, saving_likely;
  DurationNs step;  // what the savings are a part of
  std::string sentence;
  std::optional<int64_t> event;           // the first piece of evidence
  std::optional<std::string> event_name;  // what the program calls it
};

// The largest by device time, and "(rest)": sums over a profile stay true.
inline constexpr size_t kMostRows = 200;
inline constexpr std::string_view kRest = "(rest)";

struct OpTotal {
  uint32_t trace = 0;
  std::string name;
  std::string kind;
  uint64_t calls = 0;
  DurationNs device, host_self;
};

struct KernelTotal {
  uint32_t trace = 0;
  std::string name, family, category, kind, device;
  uint64_t calls = 0;
  DurationNs total;
  std::optional<int64_t> p50_ns, max_ns;  // none of the rest
};

// Calls of one type, group and class of sizes.
struct CollectiveTotal {
  uint32_t trace = 0;
  std::string group;
  std::optional<int64_t> group_size;
  std::string type;
  std::optional<int64_t> bytes_from;  // sizes of the class: from here to below its double
  uint64_t calls = 0;
  std::optional<int64_t> bytes;  // of all calls
  DurationNs total, min, p50, max;
  bool on_host = false;  // spans of the host: no device work is known
};

struct QualityRow {
  uint32_t trace = 0;
  std::string code, severity;
  uint64_t count = 0;
};

// What the second pass joins ranks by: kept until it has run.
struct RankSummaryRow {
  uint32_t trace = 0;
  std::string run_key;  // the same for all ranks of a run
  std::string path;
  std::optional<std::string> job_id, run_id;
  std::optional<int64_t> attempt, rank, world_size;
  std::string summary;  // EncodeSummary
};

// A rank of a run among the others, after the second pass.
struct RankRow {
  std::string run_key;
  std::optional<std::string> job_id, run_id;
  std::optional<int64_t> attempt;
  int64_t rank = 0, world_size = 0;
  uint64_t ranks = 0;  // that were profiled
  std::string path;
  std::optional<std::string> host;
  uint64_t steps = 0;
  DurationNs step, own, compute, exposed_transfer, exposed_wait, wait;
  uint64_t first = 0, last = 0, judged = 0;
  std::optional<double> z;
  bool sets_pace = false, straggler = false;
  // Of a straggler.
  std::optional<std::string> cause, region, sentence;
  std::optional<int64_t> excess_ns, gain_lo_ns, gain_hi_ns;
};

// All rows of one path.
struct FileRows {
  FileKey key;
  std::vector<ProfileRow> profiles;  // exactly one
  std::vector<StepRow> steps;
  std::vector<FindingRow> findings;
  std::vector<OpTotal> ops;
  std::vector<KernelTotal> kernels;
  std::vector<CollectiveTotal> collectives;
  std::vector<QualityRow> quality;
  std::vector<RankSummaryRow> rank_summaries;
  std::vector<RankRow> ranks;  // only of the second pass
};

}  // namespace stepscope::fleet
