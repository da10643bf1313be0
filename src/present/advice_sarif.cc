#include <algorithm>
#include <string>
#include <string_view>

#include "advise/finding.h"
#include "advise/words.h"
#include "present/advice.h"
#include "present/uri.h"
#include "words/labels.h"

namespace stepscope {
namespace {

constexpr SayFrom<kLabelTexts> Say;

// SARIF has only three levels for findings.
std::string_view LevelOf(FindingSeverity severity) {
  switch (severity) {
    case FindingSeverity::kHigh:
      return "error";
    case FindingSeverity::kMedium:
      return "warning";
    case FindingSeverity::kLow:
    case FindingSeverity::kNote:
      return "note";
  }
  return "none";
}

// {"text": "…"} under a key.
void WriteMessage(std::string_view key, const Messages& text, JsonWriter& json) {
  json.Key(key);
  json.BeginObject();
  json.Field("text", text);
  json.EndObject();
}

void WriteDriver(JsonWriter& json) {
  json.Key("tool");
  json.BeginObject();
  json.Key("driver");
  json.BeginObject(JsonWriter::Layout::kLines);
  json.Field("name", "stepscope");
  json.Field("version", STEPSCOPE_VERSION);
  json.Key("rules");
  json.BeginArray(JsonWriter::Layout::kLines);
  const Limits limits;
  for (const Rule& rule : AllRules()) {
    json.BeginObject();
    json.Field("id", rule.id);
    WriteMessage("shortDescription", RuleText(rule.id, "symptom", limits), json);
    WriteMessage("help", RuleText(rule.id, "detection", limits), json);
    json.EndObject();
  }
  json.EndArray();
  json.EndObject();
  json.EndObject();
}

// Of the whole file: a profile has no lines that people read, and services that show findings want
// one.
void WriteLocations(const Trace& trace, JsonWriter& json) {
  json.Key("locations");
  json.BeginArray();
  json.BeginObject();
  json.Key("physicalLocation");
  json.BeginObject();
  json.Key("artifactLocation");
  json.BeginObject();
  json.Field("uri", UriOf(trace.path));
  json.EndObject();
  json.Key("region");
  json.BeginObject();
  json.Field("startLine", 1);
  json.EndObject();
  json.EndObject();
  json.EndObject();
  json.EndArray();
}

void WriteResult(const Trace& trace, const Finding& finding, JsonWriter& json) {
  const std::vector<Rule>& rules = AllRules();
  const auto rule = std::find_if(rules.begin(), rules.end(),
                                 [&](const Rule& one) { return one.id == finding.rule; });
  Messages text{finding.title};
  text.insert(text.end(), finding.sentence.begin(), finding.sentence.end());
  for (const ExplainedBy& cause : finding.causes) {
    text += Say("label.because-of", cause.sentence);
  }
  if (!finding.fix.empty()) text += Say("label.do-this", RenderLines(finding.fix, json.language()));
  json.BeginObject();
  json.Field("ruleId", finding.rule);
  json.Field("ruleIndex", rule - rules.begin());
  json.Field("level", LevelOf(finding.severity));
  WriteMessage("message", text, json);
  WriteLocations(trace, json);
  json.Key("properties");
  json.BeginObject();
  json.Field("severity", NameOf(finding.severity));
  json.Field("saving_lo_ns", finding.saving.lo.ns);
  json.Field("saving_hi_ns", finding.saving.hi.ns);
  json.EndObject();
  json.EndObject();
}

}  // namespace

void WriteSarif(std::span<const Reported> advised, Language language, std::string& out) {
  JsonWriter json(out, language);
  json.BeginObject(JsonWriter::Layout::kLines);
  json.Field("$schema", "https://json.schemastore.org/sarif-2.1.0.json");
  json.Field("version", "2.1.0");
  json.Key("runs");
  json.BeginArray(JsonWriter::Layout::kLines);
  json.BeginObject(JsonWriter::Layout::kLines);
  WriteDriver(json);
  json.Key("results");
  json.BeginArray(JsonWriter::Layout::kLines);
  for (const Reported& one : advised) {
    for (const Finding& finding : one.advice->findings) WriteResult(one.trace(), finding, json);
  }
  json.EndArray();
  json.EndObject();
  json.EndArray();
  json.EndObject();
  out += '\n';
}

}  // namespace stepscope
