#include "present/report_json.h"

#include <map>

#include "advise/finding.h"
#include "analyze/report.h"
#include "present/advice.h"
#include "present/words.h"

namespace stepscope {
namespace {

using enum JsonWriter::Layout;

std::optional<std::string_view> OrNull(std::string_view text) {
  if (text.empty()) return std::nullopt;
  return text;
}

void WriteCounts(std::string_view key, const std::map<std::string, uint64_t>& counts,
                 JsonWriter& json) {
  json.Key(key);
  json.BeginObject();
  for (const auto& [name, count] : counts) json.Field(name, count);
  json.EndObject();
}

void WriteEvents(const Trace& trace, JsonWriter& json) {
  const EventCounts& events = trace.events;
  json.Key("events");
  json.BeginObject();
  json.Field("in_file", events.in_file);
  json.Field("stored", events.stored());
  json.Field("diagnosed", events.diagnosed);
  if (events.by_plane.empty()) {
    WriteCounts("by_phase", events.by_phase, json);
    WriteCounts("complete_by_category", events.complete_by_category, json);
  } else {
    WriteCounts("by_plane", events.by_plane, json);
  }
  json.EndObject();
}

void WriteDeviceStep(const Trace& trace, const DeviceStep& step, JsonWriter& json) {
  json.BeginObject();
  json.Field("device", DeviceIdAt(trace, step.device));
  json.Field("busy_ns", step.busy.ns);
  json.Field("compute_ns", step.compute.ns);
  json.Field("communication_ns", step.communication.ns);
  json.Field("exposed_communication_ns", step.exposed_communication.ns);
  json.Field("copy_ns", step.copy.ns);
  json.Field("exposed_copy_ns", step.exposed_copy.ns);
  json.Field("memset_ns", step.memset.ns);
  json.Field("exposed_memset_ns", step.exposed_memset.ns);
  json.Field("idle_ns", step.idle.ns);
  json.Key("idle_causes");
  json.BeginArray();
  for (size_t cause = 0; cause < kCauses; ++cause) {
    if (step.idle_causes[cause].ns == 0) continue;
    json.BeginObject();
    json.Field("cause", NameOf(static_cast<Cause>(cause)));
    json.Field("ns", step.idle_causes[cause].ns);
    json.EndObject();
  }
  json.EndArray();
  json.EndObject();
}

void WritePriority(const std::optional<PriorityPartition>& priority, JsonWriter& json) {
  json.Key("priority_ns");
  if (!priority) return json.Value(nullptr);
  json.BeginObject();
  json.Field("kernel", priority->kernel.ns);
  json.Field("memcpy", priority->memcpy.ns);
  json.Field("memset", priority->memset.ns);
  json.Field("communication", priority->communication.ns);
  json.Field("runtime", priority->runtime.ns);
  json.Field("dataloader", priority->dataloader.ns);
  json.Field("cpu_exec", priority->cpu_exec.ns);
  json.Field("other", priority->other.ns);
  json.EndObject();
}

void WriteStep(const Trace& trace, const Step& step, const StepBreakdown& breakdown,
               JsonWriter& json) {
  json.BeginObject();
  json.Field("name", step.name);
  json.Field("number", step.number);
  json.Field("host_start_ns", step.host_start.ns);
  json.Field("host_duration_ns", step.host_duration.ns);
  json.Field("start_ns", step.start.ns);
  json.Field("duration_ns", step.duration.ns);
  json.Field("used", step.used());
  json.Field("why_unused", OrNull(NameOf(step.why_unused)));
  json.Key("devices");
  json.BeginArray();
  for (const DeviceStep& device : breakdown.devices) WriteDeviceStep(trace, device, json);
  json.EndArray();
  WritePriority(breakdown.priority, json);
  json.EndObject();
}

std::optional<int64_t> Ns(const std::optional<DurationNs>& duration) {
  if (!duration) return std::nullopt;
  return duration->ns;
}

void WriteVerdict(const LinkedTrace& linked, const Report& report, JsonWriter& json) {
  const std::vector<Step>& steps = linked.steps.items;
  const Verdict& verdict = report.verdict;
  json.Key("verdict");
  json.BeginObject();
  json.Field("bound_by", NameOf(verdict.bound_by));
  const Message sentence = VerdictSentence(linked, report);
  json.Field("sentence", sentence);
  json.IdAndArgs(sentence);
  const bool judged = verdict.step < steps.size();
  json.Field("step", judged ? std::optional(steps[verdict.step].number) : std::optional<int64_t>());
  json.Field("device", verdict.device < 0 ? std::optional<std::string>()
                                          : DeviceIdAt(linked.trace, verdict.device));
  json.EndObject();
}

void WriteOne(const Reported& reported, JsonWriter& json) {
  const LinkedTrace& linked = *reported.linked;
  const Report& report = *reported.report;
  json.BeginObject(kLines);
  json.Field("schema", "stepscope.report/1");
  WriteProfilePart(linked.trace, json);
  WriteQualityPart(report.quality, json);
  WriteVerdict(linked, report, json);
  WriteStepsPart(linked, report, json);
  WriteTableParts(linked, report, json);
  WriteFindingsPart(reported.advice == nullptr ? Advice{} : *reported.advice, json);
  json.EndObject();
}

}  // namespace

void WriteProfilePart(const Trace& trace, JsonWriter& json) {
  const RunFacts& facts = trace.facts;
  json.Key("profile");
  json.BeginObject(kLines);
  json.Key("paths");
  json.BeginArray();
  json.Value(trace.path);
  for (const std::string& path : trace.other_paths) json.Value(path);
  json.EndArray();
  json.Field("format", NameOf(facts.format));
  json.Field("framework", OrNull(facts.framework));
  json.Field("framework_version", OrNull(facts.framework_version));
  json.Field("host", OrNull(facts.host));
  json.Field("rank", facts.rank);
  json.Field("world_size", facts.world_size);
  json.Field("start_unix_ns", facts.start_unix_ns);
  json.Field("span_ns", trace.span.ns);
  WriteEvents(trace, json);
  json.Key("devices");
  json.BeginArray(kLines);
  for (const Device& device : trace.devices) {
    json.BeginObject();
    json.Field("id", DeviceIdOf(device.type, device.index));
    json.Field("name", OrNull(device.name));
    json.Field("memory_bytes", device.memory_bytes);
    json.Field("compute_capability", OrNull(device.compute_capability));
    json.Field("sm_count", device.sm_count);
    json.EndObject();
  }
  json.EndArray();
  json.Key("notes");
  json.BeginObject();
  for (const auto& [name, note] : facts.notes) json.Field(name, note);
  json.EndObject();
  json.EndObject();
}

void WriteQualityPart(const Diagnostics& quality, JsonWriter& json) {
  json.Key("quality");
  json.BeginArray(kLines);
  for (const Diagnostics::Entry& entry : quality.entries()) {
    json.BeginObject();
    json.Field("code", CodeOf(entry.code));
    json.Field("severity", NameOf(SeverityOf(entry.code)));
    json.Field("count", entry.count);
    json.Field("sentence", QualitySentence(entry));
    json.Key("examples");
    json.BeginArray();
    for (const Diagnostics::Example& example : entry.examples) {
      json.BeginObject();
      json.Field("offset", example.offset);
      json.Field("text", example.text);
      json.EndObject();
    }
    json.EndArray();
    json.EndObject();
  }
  json.EndArray();
}

void WriteStepsPart(const LinkedTrace& linked, const Report& report, JsonWriter& json) {
  const Steps& steps = linked.steps;
  const StepStatistics& statistics = report.step_statistics;
  json.Key("steps");
  json.BeginObject(kLines);
  json.Field("source", steps.source_name.empty() ? "none" : std::string_view(steps.source_name));
  json.Field("confidence", steps.source == StepSource::kRepetition ? std::optional(steps.confidence)
                                                                   : std::optional<double>());
  json.Field("count", steps.items.size());
  json.Field("used", statistics.used);
  json.Field("median_ns", Ns(statistics.median));
  json.Field("min_ns", Ns(statistics.min));
  json.Field("max_ns", Ns(statistics.max));
  json.Field("p95_ns", Ns(statistics.p95));
  json.Key("items");
  json.BeginArray(kLines);
  static const StepBreakdown kNoBreakdown;
  for (size_t i = 0; i < steps.items.size(); ++i) {
    const bool known = i < report.breakdown.size();
    WriteStep(linked.trace, steps.items[i], known ? report.breakdown[i] : kNoBreakdown, json);
  }
  json.EndArray();
  json.EndObject();
}

void WriteReportsJson(std::span<const Reported> reports, Language language, std::string& out) {
  JsonWriter json(out, language);
  if (reports.size() == 1) {
    WriteOne(reports[0], json);
  } else {
    json.BeginObject(kLines);
    json.Field("schema", "stepscope.reports/1");
    json.Key("reports");
    json.BeginArray(kLines);
    for (const Reported& reported : reports) WriteOne(reported, json);
    json.EndArray();
    json.EndObject();
  }
  out += '\n';
}

}  // namespace stepscope
