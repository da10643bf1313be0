#include <array>

#include "advise/finding.h"
#include "advise/words.h"
#include "analyze/report.h"
#include "present/advice.h"
#include "present/report_json.h"

namespace stepscope {
namespace {

void WriteEvidence(const EvidenceItem& item, JsonWriter& json) {
  json.BeginObject();
  if (!item.device.empty()) json.Field("device", item.device);
  if (item.rank) json.Field("rank", *item.rank);
  json.Field("step", item.step);
  json.Field("start_ns", item.start.ns);
  json.Field("ns", item.length.ns);
  json.Key("events");
  json.BeginArray();
  for (const uint32_t event : item.events) json.Value(event);
  json.EndArray();
  json.EndObject();
}

// The messages behind a paragraph.
void WriteMessages(std::string_view key, const Messages& messages, JsonWriter& json) {
  json.Key(key);
  json.BeginArray();
  for (const Message& message : messages) {
    json.BeginObject();
    json.IdAndArgs(message);
    json.EndObject();
  }
  json.EndArray();
}

void WriteFinding(const Finding& finding, JsonWriter& json) {
  json.BeginObject();
  json.Field("rule", finding.rule);
  json.Field("severity", NameOf(finding.severity));
  json.Field("title", finding.title);
  json.Field("sentence", finding.sentence);
  json.IdAndArgs(finding.title);
  WriteMessages("sentences", finding.sentence, json);
  json.Key("causes");
  json.BeginArray();
  for (const ExplainedBy& cause : finding.causes) {
    json.BeginObject();
    json.Field("rule", cause.rule);
    json.Field("sentence", cause.sentence);
    json.IdAndArgs(cause.sentence);
    json.EndObject();
  }
  json.EndArray();
  json.Key("saving");
  json.BeginObject();
  json.Field("lo_ns", finding.saving.lo.ns);
  json.Field("hi_ns", finding.saving.hi.ns);
  json.Field("likely_ns", finding.saving.likely.ns);
  json.Field("replay_lo_ns", finding.saving.replay_lo.ns);
  json.Field("replay_hi_ns", finding.saving.replay_hi.ns);
  json.Field("replayed", finding.saving.replayed);
  if (!finding.saving_note.empty()) {
    json.Field("note", finding.saving_note);
    WriteMessages("notes", finding.saving_note, json);
  }
  json.EndObject();
  json.Key("evidence");
  json.BeginArray();
  for (const EvidenceItem& item : finding.evidence) WriteEvidence(item, json);
  json.EndArray();
  json.Field("fix", RenderLines(finding.fix, json.language()));
  json.Field("refuted_by", finding.refuted_by);
  json.Field("confidence", NameOf(finding.confidence));
  json.EndObject();
}

void WriteAdvice(const Reported& advised, JsonWriter& json) {
  json.BeginObject(JsonWriter::Layout::kLines);
  json.Field("schema", "stepscope.advice/1");
  WriteProfilePart(advised.trace(), json);
  WriteQualityPart(advised.report->quality, json);
  WriteFindingsPart(*advised.advice, json);
  json.EndObject();
}

}  // namespace

void WriteFindingsPart(const Advice& advice, JsonWriter& json) {
  json.Key("findings");
  json.BeginArray(JsonWriter::Layout::kLines);
  for (const Finding& finding : advice.findings) WriteFinding(finding, json);
  json.EndArray();
  json.Key("rules");
  json.BeginObject(JsonWriter::Layout::kLines);
  json.Field("checked", advice.fired.size() + advice.quiet.size() + advice.cannot_tell.size());
  for (const auto& [name, list] :
       {std::pair("fired", &advice.fired), std::pair("quiet", &advice.quiet)}) {
    json.Key(name);
    json.BeginArray();
    for (const std::string_view rule : *list) json.Value(rule);
    json.EndArray();
  }
  json.Key("cannot_tell");
  json.BeginArray(JsonWriter::Layout::kLines);
  for (const CannotTellRow& row : advice.cannot_tell) {
    json.BeginObject();
    json.Field("rule", row.rule);
    json.Field("needs", row.needs);
    json.IdAndArgs(row.needs);
    json.EndObject();
  }
  json.EndArray();
  if (!advice.ignored.empty()) {
    json.Key("ignored");
    json.BeginArray(JsonWriter::Layout::kLines);
    for (const IgnoredRow& row : advice.ignored) {
      json.BeginObject();
      json.Field("rule", row.rule);
      json.Field("reason", row.reason);
      json.EndObject();
    }
    json.EndArray();
  }
  if (advice.joint_saving) json.Field("joint_saving_ns", advice.joint_saving->ns);
  if (advice.has_steps) {
    json.Field("step_ns", advice.step.ns);
    json.Field("unprofiled_step_ns",
               advice.unprofiled ? std::optional(advice.unprofiled->ns) : std::nullopt);
  }
  json.EndObject();
}

void WriteAdviceJson(std::span<const Reported> advised, Language language, std::string& out) {
  JsonWriter json(out, language);
  if (advised.size() == 1) {
    WriteAdvice(advised.front(), json);
  } else {
    json.BeginObject(JsonWriter::Layout::kLines);
    json.Field("schema", "stepscope.advices/1");
    json.Key("advices");
    json.BeginArray(JsonWriter::Layout::kLines);
    for (const Reported& one : advised) WriteAdvice(one, json);
    json.EndArray();
    json.EndObject();
  }
  out += '\n';
}

void WriteRulesJson(std::span<const Rule> rules, const Limits& limits, Language language,
                    std::string& out) {
  JsonWriter json(out, language);
  json.BeginObject(JsonWriter::Layout::kLines);
  json.Field("schema", "stepscope.rules/1");
  json.Key("rules");
  json.BeginArray(JsonWriter::Layout::kLines);
  for (const Rule& rule : rules) {
    const auto part = [&](std::string_view name) { return RuleText(rule.id, name, limits); };
    json.BeginObject();
    json.Field("rule", rule.id);
    json.Field("explains", rule.explains);
    for (const char* name : {"symptom", "detection", "threshold", "saving"}) {
      json.Field(name, part(name));
    }
    json.Key("fix");
    json.BeginObject();
    for (const auto& [name, fix] :
         {std::pair("PyTorch", part("pytorch")), std::pair("TensorFlow", part("tensorflow")),
          std::pair("JAX", part("jax")), std::pair("ONNX Runtime", part("onnx_runtime")),
          std::pair("other", part("other"))}) {
      if (!fix.empty()) json.Field(name, fix);
    }
    json.EndObject();
    for (const char* name : {"false_alarms", "refuted_by", "sources"}) json.Field(name, part(name));
    json.EndObject();
  }
  json.EndArray();
  json.EndObject();
  out += '\n';
}

}  // namespace stepscope
