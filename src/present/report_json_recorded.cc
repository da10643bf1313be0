#include "analyze/recorded/gpu_use.h"
#include "analyze/report.h"
#include "analyze/report_tables.h"
#include "present/report_json.h"

// What `stepscope record` adds to `report --json`.
namespace stepscope {

using enum JsonWriter::Layout;

void WriteRecordedParts(const LinkedTrace& linked, const Report& report, JsonWriter& json) {
  WriteTable("python", tables::kPython, linked, report, json);
  json.Key("recording");
  const Recorded& recorded = linked.trace.recorded;
  if (!recorded.present) return json.Value(nullptr);
  json.BeginObject(kLines);
  json.Field("program", recorded.program);
  json.Field("pid", recorded.pid);
  json.Field("exit_code", recorded.end ? std::optional(recorded.end->exit_code) : std::nullopt);
  json.Field("signal", recorded.end ? std::optional(recorded.end->signal) : std::nullopt);
  json.Field("run_ns", recorded.run ? std::optional(recorded.run->ns) : std::nullopt);
  json.Field("hook_cpu_ns",
             recorded.hook_cpu ? std::optional(recorded.hook_cpu->ns) : std::nullopt);
  json.Field("helpers", recorded.helpers);
  json.Objects("gpus", AnalyzeGpuUse(linked.trace, report.device_busy), [&](const GpuUse& use) {
    json.Field("device", use.device);
    json.Field("in_use_share", use.in_use);
    json.Field("busy_share", use.busy);
    json.Field("samples", use.samples);
  });
  json.Field("step_source", recorded.step_source);
  json.Objects("steps", kLines, recorded.steps, [&](const RecordedStep& step) {
    json.Field("number", step.number);
    json.Field("start_ns", step.start.ns);
    json.Field("duration_ns", step.duration.ns);
    json.Field("profiled", step.profiled);
  });
  json.EndObject();
}

}  // namespace stepscope
