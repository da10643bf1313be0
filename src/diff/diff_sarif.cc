#include <fmt/format.h>

#include "diff/compare_nodes.h"
#include "diff/diff_output.h"
#include "diff/diff_words.h"
#include "diff/source_line.h"
#include "present/json_writer.h"
#include "present/uri.h"
#include "words/diff.h"

namespace stepscope::diff {
namespace {

using enum JsonWriter::Layout;

constexpr std::string_view kRule = "perf-regression/node_time";

uint64_t HashOf(std::string_view text) {
  uint64_t hash = 0xCBF29CE484222325u;
  for (const char c : text) hash = (hash ^ static_cast<unsigned char>(c)) * 0x100000001B3u;
  return hash;
}

// Whether a reviewer has to see it on the line.
bool IsRegression(const Node& node) {
  return node.compared.result == Outcome::kSlower ||
         (node.state == State::kAdded && node.compared.delta > 0);
}

std::string_view StateOf(const Node& node) {
  return node.state == State::kAdded ? "new" : "updated";
}

void WriteText(std::string_view key, std::string_view text, JsonWriter& json) {
  json.Key(key);
  json.BeginObject();
  json.Field("text", text);
  json.EndObject();
}

void WriteResult(const Node& node, const SourceLine& line, Language language, JsonWriter& json) {
  const Comparison& compared = node.compared;
  json.BeginObject();
  json.Field("ruleId", kRule);
  json.Field("level", compared.result == Outcome::kSlower ? "error" : "warning");
  WriteText("message",
            fmt::format("{}: {} → {} ({}, {})", TitleOf(node.key),
                        ValueIn("ns", compared.base.median), ValueIn("ns", compared.now.median),
                        SignedDuration(compared.delta), Render(ResultOf(node), language)),
            json);
  json.Key("locations");
  json.BeginArray();
  json.BeginObject();
  json.Key("physicalLocation");
  json.BeginObject();
  json.Key("artifactLocation");
  json.BeginObject();
  json.Field("uri", UriOf(line.file));
  json.EndObject();
  json.Key("region");
  json.BeginObject();
  json.Field("startLine", line.line);
  json.EndObject();
  json.EndObject();
  json.EndObject();
  json.EndArray();
  json.Key("partialFingerprints");
  json.BeginObject();
  const NodeKey& key = node.key;
  json.Field("nodeKey/v1",
             fmt::format("{:016x}", HashOf(key.module + "\n" + key.op + "\n" + key.shapes + "\n" +
                                           key.pass + "\n" + key.kernel + "\n" + line.file)));
  json.EndObject();
  json.Field("baselineState", StateOf(node));
  json.EndObject();
}

}  // namespace

std::string DiffSarif(const Diff& diff, Language language) {
  std::string out;
  JsonWriter json(out, language);
  json.BeginObject(kLines);
  json.Field("$schema", "https://json.schemastore.org/sarif-2.1.0.json");
  json.Field("version", "2.1.0");
  json.Key("runs");
  json.BeginArray(kLines);
  json.BeginObject(kLines);
  json.Key("tool");
  json.BeginObject();
  json.Key("driver");
  json.BeginObject();
  json.Field("name", "stepscope");
  json.Field("version", STEPSCOPE_VERSION);
  json.Key("rules");
  json.BeginArray();
  json.BeginObject();
  json.Field("id", kRule);
  WriteText("shortDescription", Render(SayFrom<kDiffTexts>()("diff.sarif-rule"), language), json);
  json.EndObject();
  json.EndArray();
  json.EndObject();
  json.EndObject();
  json.Key("results");
  json.BeginArray(kLines);
  for (const Node& node : diff.nodes) {
    if (!IsRegression(node)) continue;
    if (const auto line = SourceLineOf(node.line)) WriteResult(node, *line, language, json);
  }
  json.EndArray();
  json.EndObject();
  json.EndArray();
  json.EndObject();
  out += '\n';
  return out;
}

}  // namespace stepscope::diff
