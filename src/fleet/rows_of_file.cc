#include "fleet/rows_of_file.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <memory>
#include <utility>

#include "advise/finding.h"
#include "analyze/report.h"
#include "diff/statistics.h"
#include "fleet/content_id.h"
#include "fleet/keyed_hash.h"
#include "fleet/rank_pass.h"
#include "fleet/trace_rows.h"
#include "io/input_damage.h"
#include "study/study.h"
#include "trace/device_id.h"
#include "words/fleet.h"

namespace stepscope::fleet {
namespace {

constexpr SayFrom<kFleetTexts> Say;

std::optional<std::string> Known(std::string text) {
  return text.empty() ? std::nullopt : std::optional(std::move(text));
}

ProfileRow RowOf(const ListedPath& listed) {
  ProfileRow row;
  row.path = listed.path;
  row.bytes = listed.bytes;
  row.mtime_unix_ns = listed.mtime_unix_ns;
  row.job_id = listed.facts.job;
  row.run_id = listed.facts.run;
  row.host = listed.facts.host;
  row.attempt = listed.facts.attempt;
  row.rank = listed.facts.rank;
  row.world_size = listed.facts.world_size;
  row.weight = listed.weight;
  return row;
}

FailureCode FailureOf(ErrorCode code) {
  switch (code) {
    case ErrorCode::kDamaged:
      return FailureCode::kDamaged;
    case ErrorCode::kUnsupported:
      return FailureCode::kUnsupported;
    case ErrorCode::kCannotRead:
    case ErrorCode::kUsage:
    case ErrorCode::kCannotWrite:
    case ErrorCode::kInterrupted:
      return FailureCode::kCannotRead;
  }
  std::unreachable();
}

// Rows hold English, as all tables do.
std::string SentenceOf(const Error& error) {
  return InEnglish(error.offset ? Say("fleet.at-byte", error.sentence, *error.offset)
                                : Messages(error.sentence));
}

// The trace with the longest step; the first where none has steps.
size_t SlowestOf(std::span<const Reported> traces) {
  size_t slowest = 0;
  DurationNs longest{};
  for (size_t i = 0; i < traces.size(); ++i) {
    const DurationNs median = traces[i].report->step_statistics.median.value_or(DurationNs{});
    if (median > longest) {
      longest = median;
      slowest = i;
    }
  }
  return slowest;
}

void AddFacts(const Trace& trace, ProfileRow& row) {
  const RunFacts& facts = trace.facts;
  row.format = std::string(NameOf(facts.format));
  row.framework = Known(facts.framework);
  row.framework_version = Known(facts.framework_version);
  if (!facts.host.empty()) row.host = facts.host;
  if (facts.rank) row.rank = facts.rank;
  if (facts.world_size) row.world_size = facts.world_size;
  row.start_unix_ns = facts.start_unix_ns;
  const auto note = [&](std::initializer_list<const char*> names) -> std::optional<std::string> {
    for (const char* name : names) {
      const auto at = facts.notes.find(name);
      if (at != facts.notes.end()) return Known(at->second);
    }
    return std::nullopt;
  };
  row.cuda_version = note({"cuda_runtime_version", "cuda_version"});
  row.driver_version = note({"cuda_driver_version", "hip_driver_version"});
}

void AddDevices(std::span<const Reported> traces, ProfileRow& row) {
  int64_t devices = 0, span = 0, events = 0, diagnosed = 0;
  double seconds = 0;
  for (const Reported& reported : traces) {
    const Trace& trace = reported.trace();
    for (const Device& device : trace.devices) {
      if (device.type == DeviceType::kCpu) continue;
      if (!row.device_name) row.device_name = Known(device.name);
    }
    int64_t working = 0;
    for (const int32_t device : reported.linked->work.devices()) {
      if (trace.devices[static_cast<size_t>(device)].type != DeviceType::kCpu) ++working;
    }
    devices += working;
    seconds += static_cast<double>(trace.span.ns) * 1e-9 * static_cast<double>(working);
    span = std::max(span, trace.span.ns);
    events += static_cast<int64_t>(trace.events.in_file);
    diagnosed += static_cast<int64_t>(trace.events.diagnosed);
  }
  row.device_count = devices;
  row.traces = static_cast<int64_t>(traces.size());
  row.span_ns = span;
  row.events = events;
  row.diagnosed = diagnosed;
  row.device_seconds = seconds;
}

void AddSteps(const Reported& reported, ProfileRow& row) {
  const StepStatistics& statistics = reported.report->step_statistics;
  row.steps_used = statistics.used;
  if (!statistics.median) return;
  row.step_median_ns = statistics.median->ns;
  if (statistics.p95) row.step_p95_ns = statistics.p95->ns;
  std::vector<int64_t> durations;
  for (const Step& step : reported.linked->steps.items) {
    if (step.used()) durations.push_back(step.duration.ns);
  }
  if (!durations.empty()) row.step_mad_ns = diff::MadOf(durations);
}

// Of the window that the verdict is about.
void AddBreakdown(const Reported& reported, ProfileRow& row) {
  const Report& report = *reported.report;
  row.bound_by = std::string(NameOf(report.verdict.bound_by));
  const size_t window = report.verdict.step == kNoRow ? 0 : report.verdict.step;
  if (window >= report.breakdown.size() || window >= reported.linked->windows.size()) return;
  const std::vector<DeviceStep>& devices = report.breakdown[window].devices;
  auto at = std::ranges::find(devices, report.verdict.device, &DeviceStep::device);
  if (at == devices.end()) at = devices.begin();
  if (at == devices.end()) return;
  row.window_ns = reported.linked->windows[window].length().ns;
  row.compute_ns = at->compute.ns;
  row.exposed_communication_ns = at->exposed_communication.ns;
  row.exposed_copy_ns = at->exposed_copy.ns;
  row.exposed_memset_ns = at->exposed_memset.ns;
  row.idle_ns = at->idle.ns;
  for (size_t i = 0; i < kCauses; ++i) row.idle_causes[i] = at->idle_causes[i].ns;
  for (const DeviceTimeline& timeline : report.device_timeline) {
    if (timeline.device != at->device) continue;
    row.gpu_util_percent = timeline.utilization_percent;
    row.sm_efficiency_percent = timeline.sm_efficiency_percent;
  }
}

void AddMemory(std::span<const Reported> traces, ProfileRow& row) {
  for (const Reported& reported : traces) {
    for (const MemoryRow& memory : reported.report->memory) {
      if (memory.type == DeviceType::kCpu) continue;
      const int64_t peak = memory.peak_allocated_bytes.value_or(memory.peak_of_running_sum_bytes);
      row.peak_memory_bytes = std::max(row.peak_memory_bytes.value_or(0), peak);
    }
  }
}

bool IsDamaged(std::span<const Reported> traces) {
  for (const Reported& reported : traces) {
    for (const Diagnostics::Entry& entry : reported.report->quality.entries()) {
      if (IsDamage(entry.code)) return true;
    }
  }
  return false;
}

int64_t HighFindings(std::span<const Reported> traces) {
  int64_t high = 0;
  for (const Reported& reported : traces) {
    if (reported.advice == nullptr) continue;
    high +=
        std::ranges::count(reported.advice->findings, FindingSeverity::kHigh, &Finding::severity);
  }
  return high;
}

}  // namespace

std::string_view NameOf(Status status) {
  switch (status) {
    case Status::kOk:
      return "ok";
    case Status::kPartial:
      return "partial";
    case Status::kFailed:
      return "failed";
  }
  std::unreachable();
}

std::string_view NameOf(FailureCode code) {
  switch (code) {
    case FailureCode::kCannotRead:
      return "cannot_read";
    case FailureCode::kDamaged:
      return "damaged";
    case FailureCode::kUnsupported:
      return "unsupported";
    case FailureCode::kTimeout:
      return "timeout";
    case FailureCode::kOutOfMemory:
      return "out_of_memory";
    case FailureCode::kCrashed:
      return "crashed";
  }
  std::unreachable();
}

std::string DayOf(int64_t unix_ns) {
  const std::chrono::sys_time<std::chrono::nanoseconds> time{std::chrono::nanoseconds(unix_ns)};
  const std::chrono::year_month_day day(std::chrono::floor<std::chrono::days>(time));
  return fmt::format("{:04}-{:02}-{:02}", static_cast<int>(day.year()),
                     static_cast<unsigned>(day.month()), static_cast<unsigned>(day.day()));
}

FileRows FailedRows(const ListedPath& listed, FailureCode code, std::string sentence) {
  FileRows rows;
  rows.key = {ContentId(listed.local), DayOf(listed.mtime_unix_ns.value_or(0)), STEPSCOPE_VERSION};
  ProfileRow& row = rows.profiles.emplace_back(RowOf(listed));
  row.status = Status::kFailed;
  row.error_code = code;
  row.error = std::move(sentence);
  return rows;
}

FileRows RowsOfFile(const ListedPath& listed, unsigned threads) {
  const Result<std::unique_ptr<Study>> opened =
      Study::Open({listed.local}, {.threads = threads, .names = {listed.path}});
  if (!opened) {
    return FailedRows(listed, FailureOf(opened.error().code), SentenceOf(opened.error()));
  }
  Study& study = **opened;
  if (study.size() == 0) {
    return FailedRows(listed, FailureCode::kUnsupported, InEnglish(Say("fleet.no-profile")));
  }
  (void)study.advice();
  const std::vector<Reported> traces = study.reported();
  FileRows rows;
  ProfileRow& row = rows.profiles.emplace_back(RowOf(listed));
  const Reported& slowest = traces[SlowestOf(traces)];
  AddFacts(slowest.trace(), row);
  if (listed.name_key && !slowest.trace().facts.host.empty()) {
    row.host = KeyedHash(*listed.name_key, slowest.trace().facts.host);
  }
  AddDevices(traces, row);
  AddSteps(slowest, row);
  AddBreakdown(slowest, row);
  AddMemory(traces, row);
  row.findings_high = HighFindings(traces);
  row.status = IsDamaged(traces) ? Status::kPartial : Status::kOk;
  rows.key = {ContentId(listed.local),
              DayOf(row.start_unix_ns.value_or(listed.mtime_unix_ns.value_or(0))),
              STEPSCOPE_VERSION};
  for (size_t i = 0; i < traces.size(); ++i) {
    AddTraceRows(traces[i], static_cast<uint32_t>(i), rows);
    AddRankSummary(traces[i], static_cast<uint32_t>(i), rows);
  }
  return rows;
}

}  // namespace stepscope::fleet
