#include "analyze/report.h"
#include "analyze/report_tables.h"
#include "analyze/whatif/step_path.h"
#include "present/report_json.h"
#include "present/table_rows.h"

// The tables of `report --json`, one row per line; analyze/*/*_columns.h say what is in a row.
namespace stepscope {
namespace {

using enum JsonWriter::Layout;

std::optional<int64_t> Ns(const std::optional<DurationNs>& duration) {
  if (!duration) return std::nullopt;
  return duration->ns;
}

void WriteLinks(const Links& links, JsonWriter& json) {
  json.Key("links");
  json.BeginObject();
  json.Field("device_events", links.device_events);
  json.Field("linked", links.linked_by_correlation);
  json.Field("unlinked", links.device_events - links.linked_by_correlation);
  json.EndObject();
}

void WriteLaunches(const LinkedTrace& linked, const Report& report, JsonWriter& json) {
  const Launches& launches = report.launches;
  json.Key("launches");
  json.BeginObject(kLines);
  json.Field("calls", launches.calls);
  json.Field("pairs", launches.pairs);
  json.Field("median_call_ns", Ns(launches.median_call));
  json.Field("median_delay_ns", Ns(launches.median_delay));
  json.Field("total_delay_ns", launches.total_delay.ns);
  json.Field("max_delay_ns", launches.max_delay.ns);
  json.Field("queue_empty", launches.queue_empty);
  json.Field("queue_full", launches.queue_full);
  WriteTable("queues", tables::kQueues, linked, report, json);
  json.EndObject();
}

void WriteCommunication(const LinkedTrace& linked, const Report& report, JsonWriter& json) {
  json.Key("communication");
  if (!report.communication) return json.Value(nullptr);
  json.BeginObject(kLines);
  json.Field("union_ns", report.communication->union_time.ns);
  json.Field("overlap_with_kernels_ns", report.communication->overlap_with_kernels.ns);
  json.Field("exposed_vs_kernels_ns", report.communication->exposed_vs_kernels.ns);
  WriteTable("by_collective", tables::kCollectives, linked, report, json);
  json.EndObject();
}

void WriteInput(const LinkedTrace& linked, const Report& report, JsonWriter& json) {
  json.Key("input");
  json.BeginObject(kLines);
  json.Key("wait_ns");
  json.BeginArray();
  for (const DurationNs wait : report.input.wait) json.Value(wait.ns);
  json.EndArray();
  WriteTable("stages", tables::kInputStages, linked, report, json);
  json.EndObject();
}

void WriteCriticalPath(const LinkedTrace& linked, const Report& report, JsonWriter& json) {
  const CriticalPath path = AnalyzeCriticalPath(linked, report.verdict.step);
  json.Key("critical_path");
  if (path.step == kNoRow) return json.Value(nullptr);
  json.BeginObject(kLines);
  json.Field("step", linked.steps.items[path.step].number);
  json.Field("ns", linked.steps.items[path.step].duration.ns);
  json.Field("host_ns", path.host.ns);
  json.Field("device_ns", path.device.ns);
  json.Field("delay_ns", path.delay.ns);
  json.Key("rows");
  WriteRows(tables::kCriticalPath.facts.columns,
            {{&linked.trace, path.rows.data(), static_cast<uint32_t>(path.rows.size())}}, json);
  json.EndObject();
}

}  // namespace

void WriteTable(std::string_view key, const tables::ReportTable& table, const LinkedTrace& linked,
                const Report& report, JsonWriter& json) {
  json.Key(key);
  WriteRows(table.facts.columns, table.rows(linked, report), json);
}

void WriteTableParts(const LinkedTrace& linked, const Report& report, JsonWriter& json) {
  const auto write = [&](const tables::ReportTable& table) {
    WriteTable(table.facts.name, table, linked, report, json);
  };
  write(tables::kIdleCauses);
  write(tables::kOps);
  write(tables::kOpsByShape);
  write(tables::kModules);
  write(tables::kKernels);
  WriteLinks(linked.links, json);
  write(tables::kDeviceTimeline);
  WriteLaunches(linked, report, json);
  write(tables::kMemory);
  WriteCommunication(linked, report, json);
  if (!report.hlo.empty()) write(tables::kHlo);
  WriteInput(linked, report, json);
  write(tables::kCounters);
  WriteCriticalPath(linked, report, json);
}

}  // namespace stepscope
