#include "present/csv.h"
#include "present/ranks.h"

namespace stepscope {
namespace {

CsvTable RanksTable(const JobsReport& report) {
  CsvTable table{"ranks.csv", {}};
  CsvWriter csv(table.text);
  csv.Header({"job", "rank", "path", "steps", "step_ns", "own_ns", "compute_ns",
              "exposed_transfer_ns", "exposed_wait_ns", "copy_ns", "input_ns", "idle_ns", "wait_ns",
              "last", "first", "z", "clock_offset_ns", "clock_error_ns", "aligned"});
  for (const Job& job : report.jobs) {
    for (size_t p = 0; p < job.ranks.size(); ++p) {
      const JobRank& row = job.ranks[p];
      const RankClock& clock = job.clocks.ranks[p];
      csv.Row(job.name, row.rank, row.path, row.steps, row.step.ns, row.own.ns, row.compute.ns,
              row.exposed_transfer.ns, row.exposed_wait.ns, row.copy.ns, row.input.ns, row.idle.ns,
              row.wait.ns, row.last, row.first, row.z, clock.offset_ns, clock.error_ns,
              std::string_view(clock.aligned ? "true" : "false"));
    }
  }
  return table;
}

CsvTable CollectivesTable(const JobsReport& report) {
  CsvTable table{"rank_collectives.csv", {}};
  CsvWriter csv(table.text);
  csv.Header({"job", "group", "type", "dtype", "bytes", "calls", "complete", "transfer_median_ns",
              "transfer_sum_ns", "transfer_by", "wait_median_ns", "wait_max_ns", "wait_sum_ns",
              "skew_median_ns", "skew_max_ns", "algbw_bytes_per_s", "busbw_bytes_per_s", "cost"});
  for (const Job& job : report.jobs) {
    for (const JobCollective& row : job.collectives) {
      const auto transfer = [&](DurationNs TimeSpread::* part) {
        return row.transfer ? std::optional((*row.transfer.*part).ns) : std::optional<int64_t>();
      };
      const RankGroup& group = job.groups[row.group].facts;
      csv.Row(job.name, group.description.empty() ? group.name : group.description,
              NameOf(row.type), row.dtype,
              row.bytes < 0 ? std::optional<int64_t>() : std::optional(row.bytes), row.calls,
              row.complete, transfer(&TimeSpread::median), transfer(&TimeSpread::sum),
              std::string_view(row.by_clock ? "clock" : "min_duration"), row.wait.median.ns,
              row.wait.max.ns, row.wait.sum.ns, row.skew.median.ns, row.skew.max.ns,
              row.algorithm_bandwidth, row.bus_bandwidth, NameOf(row.cost));
    }
  }
  return table;
}

// One row for each call and rank, in the order of time.
CsvTable CallsTable(const JobsReport& report) {
  CsvTable table{"collectives_ranks.csv", {}};
  CsvWriter csv(table.text);
  csv.Header(
      {"job", "call", "type", "dtype", "bytes", "step", "rank", "start_ns", "end_ns", "event"});
  for (const Job& job : report.jobs) {
    for (size_t c = 0; c < job.calls.size(); ++c) {
      const JobCall& call = job.calls[c];
      const JobCollective& row = job.collectives[call.collective];
      for (size_t p = 0; p < call.of_rank.size(); ++p) {
        if (!call.events[p]) continue;
        csv.Row(job.name, c, NameOf(row.type), row.dtype,
                row.bytes < 0 ? std::optional<int64_t>() : std::optional(row.bytes),
                call.in_step ? std::optional(call.step) : std::optional<int64_t>(),
                job.ranks[p].rank, call.of_rank[p].start.ns, call.of_rank[p].end.ns,
                call.events[p]);
      }
    }
  }
  return table;
}

CsvTable StepsTable(const JobsReport& report) {
  CsvTable table{"rank_steps.csv", {}};
  CsvWriter csv(table.text);
  csv.Header({"job", "step", "rank", "late_ns", "own_ns"});
  for (const Job& job : report.jobs) {
    for (size_t s = 0; s < job.lateness.steps.size(); ++s) {
      for (size_t p = 0; p < job.ranks.size(); ++p) {
        const DurationNs own = job.lateness.own[s][p];
        csv.Row(job.name, job.lateness.steps[s], job.ranks[p].rank, job.lateness.late[s][p].ns,
                own == kNoOwnTime ? std::optional<int64_t>() : std::optional(own.ns));
      }
    }
  }
  return table;
}

}  // namespace

std::vector<CsvTable> RanksCsv(const JobsReport& report) {
  return {RanksTable(report), CollectivesTable(report), CallsTable(report), StepsTable(report)};
}

}  // namespace stepscope
