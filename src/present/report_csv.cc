#include "present/report_csv.h"

#include <string_view>

#include "analyze/report.h"
#include "present/csv.h"
#include "present/words.h"

namespace stepscope {
namespace {

using Reports = std::span<const Reported>;

// One table: a header, then what `rows` writes for each profile.
template <typename Rows>
CsvTable Make(std::string file_name, std::initializer_list<std::string_view> header,
              Reports reports, Rows rows) {
  CsvTable table{std::move(file_name), {}};
  CsvWriter csv(table.text);
  csv.Header(header);
  for (const Reported& reported : reports) rows(csv, reported.trace(), *reported.report);
  return table;
}

CsvTable StepsCsv(Reports reports) {
  CsvTable table{"steps.csv", {}};
  CsvWriter csv(table.text);
  csv.Header({"profile", "name", "number", "host_start_ns", "host_duration_ns", "start_ns",
              "duration_ns", "used", "why_unused"});
  for (const Reported& reported : reports) {
    for (const Step& step : reported.linked->steps.items) {
      csv.Row(reported.trace().path, step.name, step.number, step.host_start.ns,
              step.host_duration.ns, step.start.ns, step.duration.ns,
              step.used() ? "true" : "false", NameOf(step.why_unused));
    }
  }
  return table;
}

CsvTable BreakdownCsv(Reports reports) {
  CsvTable table{"step_devices.csv", {}};
  CsvWriter csv(table.text);
  for (const std::string_view title :
       {"profile", "step", "device", "duration_ns", "busy_ns", "compute_ns", "communication_ns",
        "exposed_communication_ns", "copy_ns", "exposed_copy_ns", "memset_ns", "exposed_memset_ns",
        "idle_ns"}) {
    csv.Field(title);
  }
  for (size_t cause = 0; cause < kCauses; ++cause) {
    csv.Field(std::string("idle_").append(NameOf(static_cast<Cause>(cause))).append("_ns"));
  }
  csv.EndRow();
  for (const Reported& reported : reports) {
    const Report& report = *reported.report;
    const std::vector<Step>& steps = reported.linked->steps.items;
    for (size_t i = 0; i < report.breakdown.size(); ++i) {
      for (const DeviceStep& d : report.breakdown[i].devices) {
        csv.Field(reported.trace().path);
        csv.Field(steps[i].name);
        csv.Field(DeviceIdAt(reported.trace(), d.device));
        for (const DurationNs value :
             {steps[i].duration, d.busy, d.compute, d.communication, d.exposed_communication,
              d.copy, d.exposed_copy, d.memset, d.exposed_memset, d.idle}) {
          csv.Field(value.ns);
        }
        for (const DurationNs value : d.idle_causes) csv.Field(value.ns);
        csv.EndRow();
      }
    }
  }
  return table;
}

CsvTable IdleCsv(Reports reports) {
  return Make(
      "idle_causes.csv",
      {"profile", "device", "cause", "ns", "gaps", "longest_start_ns", "longest_ns", "example"},
      reports, [](CsvWriter& csv, const Trace& trace, const Report& report) {
        for (const IdleCause& row : report.idle_causes) {
          csv.Row(trace.path, DeviceIdAt(trace, row.device), NameOf(row.cause), row.total.ns,
                  row.gaps, row.longest.start.ns, row.longest.length.ns, row.example);
        }
      });
}

CsvTable OpsCsv(std::string file_name, Reports reports, std::vector<OpRow> Report::* rows) {
  return Make(
      std::move(file_name),
      {"profile", "name", "kind", "input_shapes", "calls", "host_self_ns", "host_total_ns",
       "device_self_ns", "device_total_ns", "tensor_core_ns", "host_total_outermost_ns",
       "device_total_outermost_ns", "calls_outermost", "host_self_excl_runtime_ns",
       "device_self_union_ns", "calls_launching", "tensor_core_eligible", "tensor_core_total_ns"},
      reports, [rows](CsvWriter& csv, const Trace& trace, const Report& report) {
        for (const OpRow& op : report.*rows) {
          csv.Row(trace.path, trace.strings[op.name], NameOf(op.kind), trace.strings[op.input_dims],
                  op.calls, op.host_self.ns, op.host_total.ns, op.device_self.ns,
                  op.device_total.ns, op.tensor_core.ns, op.host_total_outermost.ns,
                  op.device_total_outermost.ns, op.calls_outermost, op.host_self_excl_runtime.ns,
                  op.device_self_union.ns, op.calls_launching,
                  op.tensor_core_eligible ? "true" : "false", op.tensor_core_total.ns);
        }
      });
}

CsvTable KernelsCsv(Reports reports) {
  return Make("kernels.csv",
              {"profile", "name", "kind", "device", "calls", "total_ns", "min_ns", "max_ns",
               "p50_ns", "category", "tensor_core", "mean_blocks_per_sm", "mean_occupancy_percent",
               "mostly_launched_by"},
              reports, [](CsvWriter& csv, const Trace& trace, const Report& report) {
                for (const KernelRow& row : report.kernels) {
                  csv.Row(trace.path, trace.strings[row.name],
                          NameOf(row.kind == Kind::kCollective ? Kind::kKernel : row.kind),
                          DeviceIdAt(trace, row.device), row.calls, row.total.ns, row.min.ns,
                          row.max.ns, row.p50.ns, NameOf(row.category),
                          row.tensor_core ? "true" : "false", row.mean_blocks_per_sm,
                          row.mean_occupancy_percent,
                          row.launched_by.empty() ? std::string_view()
                                                  : trace.strings[row.launched_by[0].op]);
                }
              });
}

CsvTable ModulesCsv(Reports reports) {
  return Make("modules.csv", {"profile", "path", "calls", "host_total_ns", "device_total_ns"},
              reports, [](CsvWriter& csv, const Trace& trace, const Report& report) {
                for (const ScopeRow& row : report.modules) {
                  csv.Row(trace.path, row.path, row.calls, row.host_total.ns, row.device_total.ns);
                }
              });
}

CsvTable HloCsv(Reports reports) {
  return Make("hlo.csv",
              {"profile", "name", "module", "category", "op_name", "source", "calls", "total_ns",
               "flops", "bytes"},
              reports, [](CsvWriter& csv, const Trace& trace, const Report& report) {
                for (const HloRow& row : report.hlo) {
                  csv.Row(trace.path, trace.strings[row.name], trace.strings[row.module],
                          trace.strings[row.category], trace.strings[row.op_name],
                          trace.strings[row.source], row.calls, row.total.ns, row.flops, row.bytes);
                }
              });
}

CsvTable MemoryCsv(Reports reports) {
  return Make("memory.csv",
              {"profile", "device", "peak_allocated_bytes", "peak_of_running_sum_bytes",
               "peak_reserved_bytes", "peak_at_ns", "end_allocated_bytes", "growth_bytes_per_step"},
              reports, [](CsvWriter& csv, const Trace& trace, const Report& report) {
                for (const MemoryRow& row : report.memory) {
                  csv.Row(trace.path, DeviceIdOf(row.type, row.device), row.peak_allocated_bytes,
                          row.peak_of_running_sum_bytes, row.peak_reserved_bytes,
                          row.peak_at ? std::optional(row.peak_at->ns) : std::nullopt,
                          row.end_allocated_bytes, row.growth_bytes_per_step);
                }
              });
}

CsvTable CollectivesCsv(Reports reports) {
  return Make("collectives.csv", {"profile", "name", "calls", "ns", "bytes"}, reports,
              [](CsvWriter& csv, const Trace& trace, const Report& report) {
                if (!report.communication) return;
                for (const CollectiveRow& row : report.communication->by_collective) {
                  csv.Row(trace.path, row.name, row.calls, row.total.ns, row.bytes);
                }
              });
}

CsvTable InputStagesCsv(Reports reports) {
  return Make("input_stages.csv", {"profile", "name", "path", "self_ns", "calls", "user_written"},
              reports, [](CsvWriter& csv, const Trace& trace, const Report& report) {
                for (const InputStage& stage : report.input.stages) {
                  csv.Row(trace.path, stage.name, stage.path, stage.self.ns, stage.calls,
                          stage.user_written ? "true" : "false");
                }
              });
}

CsvTable CountersCsv(Reports reports) {
  return Make("counters.csv",
              {"profile", "name", "series", "samples", "min", "max", "mean", "last"}, reports,
              [](CsvWriter& csv, const Trace& trace, const Report& report) {
                for (const CounterRow& row : report.counters) {
                  csv.Row(trace.path, trace.strings[row.name], trace.strings[row.series],
                          row.samples, row.min, row.max, row.mean, row.last);
                }
              });
}

CsvTable QualityCsv(Reports reports) {
  return Make("quality.csv", {"profile", "code", "severity", "count", "sentence"}, reports,
              [](CsvWriter& csv, const Trace& trace, const Report& report) {
                for (const Diagnostics::Entry& entry : report.quality.entries()) {
                  csv.Row(trace.path, CodeOf(entry.code), NameOf(SeverityOf(entry.code)),
                          entry.count, QualitySentence(entry));
                }
              });
}

}  // namespace

std::vector<CsvTable> ReportsCsv(std::span<const Reported> reports) {
  return {StepsCsv(reports),
          BreakdownCsv(reports),
          IdleCsv(reports),
          OpsCsv("ops.csv", reports, &Report::ops),
          OpsCsv("ops_by_shape.csv", reports, &Report::ops_by_shape),
          KernelsCsv(reports),
          HloCsv(reports),
          ModulesCsv(reports),
          MemoryCsv(reports),
          CollectivesCsv(reports),
          InputStagesCsv(reports),
          CountersCsv(reports),
          QualityCsv(reports)};
}

}  // namespace stepscope
