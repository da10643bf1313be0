#include "present/report_json.h"

#include <map>

#include "advise/finding.h"
#include "analyze/report.h"
#include "analyze/report_tables.h"
#include "present/advice.h"
#include "present/quality_columns.h"
#include "present/ranks.h"
#include "present/reports_json.h"
#include "present/table_rows.h"
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
  WriteRecordedParts(linked, report, json);
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

tables::TableRows QualityRows(const Diagnostics& quality) {
  const auto& entries = quality.entries();
  return {{nullptr, entries.data(), static_cast<uint32_t>(entries.size())}};
}

void WriteQualityPart(const Diagnostics& quality, JsonWriter& json) {
  json.Key("quality");
  WriteRows(tables::kQualityColumns, QualityRows(quality), json);
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
  json.Field("unprofiled_median_ns", Ns(statistics.unprofiled_median));
  json.Field("unprofiled_lo_ns", Ns(statistics.unprofiled_lo));
  json.Field("unprofiled_hi_ns", Ns(statistics.unprofiled_hi));
  json.Field("unprofiled", statistics.unprofiled);
  WriteTable("items", tables::kSteps, linked, report, json);
  json.EndObject();
}

ReportsJson::ReportsJson(std::string& out, Language language) : out_(out), json_(out, language) {
  json_.BeginObject(kLines);
  json_.Field("schema", "stepscope.reports/1");
  json_.Key("reports");
  json_.BeginArray(kLines);
}

std::string ReportsJson::TextOf(const Reported& reported, Language language) {
  std::string text;
  ReportsJson alone(text, language);  // as deep as it will stand
  const size_t head = text.size();
  alone.Add(reported);
  return text.substr(text.find('{', head));
}

void ReportsJson::Add(const Reported& reported) { WriteOne(reported, json_); }

void ReportsJson::Add(std::string_view text) { json_.Raw(text); }

void ReportsJson::Finish(const JobsReport* jobs, std::span<const Error> failed) {
  json_.EndArray();
  if (jobs != nullptr && !jobs->jobs.empty()) {
    json_.Key("ranks");
    WriteRanksJson(*jobs, failed, json_);
  }
  json_.EndObject();
  out_ += '\n';
}

void WriteReportsJson(std::span<const Reported> reports, const JobsReport* jobs, Language language,
                      std::string& out) {
  if (reports.size() == 1) {
    JsonWriter json(out, language);
    WriteOne(reports[0], json);
    out += '\n';
    return;
  }
  ReportsJson json(out, language);
  for (const Reported& reported : reports) json.Add(reported);
  json.Finish(jobs, {});
}

}  // namespace stepscope
