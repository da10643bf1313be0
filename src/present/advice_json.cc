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

void WriteFinding(const Finding& finding, JsonWriter& json) {
  json.BeginObject();
  json.Field("rule", finding.rule);
  json.Field("severity", NameOf(finding.severity));
  json.Field("title", finding.title);
  json.Field("sentence", finding.sentence);
  json.Key("causes");
  json.BeginArray();
  for (const ExplainedBy& cause : finding.causes) {
    json.BeginObject();
    json.Field("rule", cause.rule);
    json.Field("sentence", cause.sentence);
    json.EndObject();
  }
  json.EndArray();
  json.Key("saving");
  json.BeginObject();
  json.Field("lo_ns", finding.saving.lo.ns);
  json.Field("hi_ns", finding.saving.hi.ns);
  json.Field("replayed", finding.saving.replayed);
  if (!finding.saving_note.empty()) json.Field("note", finding.saving_note);
  json.EndObject();
  json.Key("evidence");
  json.BeginArray();
  for (const EvidenceItem& item : finding.evidence) WriteEvidence(item, json);
  json.EndArray();
  json.Field("fix", finding.fix);
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
  json.EndObject();
}

void WriteAdviceJson(std::span<const Reported> advised, std::string& out) {
  JsonWriter json(out);
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

void WriteRulesJson(std::span<const Rule> rules, std::string& out) {
  JsonWriter json(out);
  json.BeginObject(JsonWriter::Layout::kLines);
  json.Field("schema", "stepscope.rules/1");
  json.Key("rules");
  json.BeginArray(JsonWriter::Layout::kLines);
  for (const Rule& rule : rules) {
    const RuleWords& words = WordsOf(rule.id);
    json.BeginObject();
    json.Field("rule", rule.id);
    json.Field("explains", rule.explains);
    json.Field("symptom", words.symptom);
    json.Field("detection", words.detection);
    json.Field("threshold", words.threshold);
    json.Field("saving", words.saving);
    json.Key("fix");
    json.BeginObject();
    for (const auto& [name, fix] :
         {std::pair("PyTorch", words.pytorch), std::pair("TensorFlow", words.tensorflow),
          std::pair("JAX", words.jax), std::pair("ONNX Runtime", words.onnx_runtime)}) {
      if (!fix.empty()) json.Field(name, fix);
    }
    json.EndObject();
    json.Field("false_alarms", words.false_alarms);
    json.Field("refuted_by", words.refuted_by);
    json.Field("sources", words.sources);
    json.EndObject();
  }
  json.EndArray();
  json.EndObject();
  out += '\n';
}

}  // namespace stepscope
