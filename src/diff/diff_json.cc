#include <algorithm>
#include <array>

#include "diff/diff_output.h"
#include "present/json_writer.h"

namespace stepscope::diff {
namespace {

using enum JsonWriter::Layout;

std::optional<std::string_view> OrNull(std::string_view text) {
  if (text.empty()) return std::nullopt;
  return text;
}

void WriteRuns(std::string_view key, const std::vector<Run>& runs, JsonWriter& json) {
  json.Key(key);
  json.BeginObject(kLines);
  json.Key("runs");
  json.BeginArray(kLines);
  for (const Run& run : runs) {
    json.BeginObject();
    json.Key("paths");
    json.BeginArray();
    for (const std::string& path : run.paths) json.Value(path);
    json.EndArray();
    json.Field("rank", run.rank);
    json.Field("ranks", run.ranks);
    json.Field("steps_used", run.steps.size());
    json.Key("step_ns");
    json.BeginArray();
    for (const RunStep& step : run.steps) json.Value(step.duration);
    json.EndArray();
    json.EndObject();
  }
  json.EndArray();
  json.Key("environment");
  json.BeginObject();
  for (const auto& [name, value] : runs.front().environment) json.Field(name, value);
  json.EndObject();
  json.EndObject();
}

void WriteSpread(std::string_view key, const Spread& spread, JsonWriter& json) {
  json.Key(key);
  json.BeginObject();
  json.Field("n", spread.n);
  json.Field("median", spread.median);
  json.Field("mad", spread.mad);
  json.Field("min", spread.min);
  json.Field("max", spread.max);
  json.EndObject();
}

// delta, p, q, result, runs_needed.
void WriteJudged(const Comparison& compared, JsonWriter& json) {
  json.Key("delta");
  json.BeginObject();
  json.Field("abs", compared.delta);
  json.Field("rel", compared.rel);
  json.Field("lo", compared.lo);
  json.Field("hi", compared.hi);
  json.EndObject();
  json.Field("p", compared.p);
  json.Field("q", compared.q);
  json.Field("result", NameOf(compared.result));
  json.Field("runs_needed", compared.runs_needed);
}

void WriteMetrics(const Diff& diff, JsonWriter& json) {
  json.Key("metrics");
  json.BeginArray(kLines);
  for (const Metric& metric : diff.metrics) {
    json.BeginObject();
    json.Field("id", metric.id);
    json.Field("unit", metric.unit);
    json.Field("device", OrNull(metric.device));
    WriteSpread("base", metric.compared.base, json);
    WriteSpread("new", metric.compared.now, json);
    WriteJudged(metric.compared, json);
    json.EndObject();
  }
  json.EndArray();
}

void WritePartition(const Diff& diff, JsonWriter& json) {
  json.Key("partition");
  if (!diff.partition) return json.Value(nullptr);
  const Partition& parts = *diff.partition;
  json.BeginObject(kLines);
  json.Field("device", parts.device);
  json.Field("step_delta_ns", parts.step);
  json.Key("delta_ns");
  json.BeginObject();
  json.Field("compute", parts.compute);
  json.Field("exposed_communication", parts.exposed_communication);
  json.Field("exposed_copy", parts.exposed_copy);
  json.Field("exposed_memset", parts.exposed_memset);
  json.Field("idle", parts.idle);
  json.Field("residue", parts.residue);
  json.EndObject();
  json.Key("idle_causes");
  json.BeginArray();
  for (const auto& [cause, delta] : parts.idle_causes) {
    json.BeginObject();
    json.Field("cause", NameOf(cause));
    json.Field("delta_ns", delta);
    json.EndObject();
  }
  json.EndArray();
  json.EndObject();
}

void WriteMatch(const Match& match, JsonWriter& json) {
  json.Key("match");
  json.BeginObject();
  json.Key("levels");
  json.BeginArray();
  for (size_t i = 0; i < kLevels; ++i) {
    const auto level = static_cast<Level>(i);
    if (level == Level::kNone) continue;
    json.BeginObject();
    json.Field("level", NameOf(level));
    json.Field("device_time_share", match.share[i]);
    json.EndObject();
  }
  json.EndArray();
  json.Field("unmatched_base", match.unmatched_base);
  json.Field("unmatched_new", match.unmatched_now);
  json.Field("line_by_line", match.line_by_line);
  json.EndObject();
}

void WriteKey(std::string_view name, const NodeKey& key, JsonWriter& json) {
  constexpr std::array<std::string_view, 5> kKinds = {"op", "range", "input", "call", "kernel"};
  json.Key(name);
  json.BeginObject();
  json.Field("kind", kKinds[static_cast<size_t>(key.kind)]);
  json.Field("module", OrNull(key.module));
  json.Field("op", OrNull(key.op));
  json.Field("shapes", OrNull(key.shapes));
  json.Field("types", OrNull(key.types));
  json.Field("pass", OrNull(key.pass));
  json.Field("line", OrNull(key.line));
  json.Field("kernel", OrNull(key.kernel));
  json.EndObject();
}

void WriteNodeSide(std::string_view key, const NodeSide& side, const Spread& spread,
                   JsonWriter& json) {
  json.Key(key);
  json.BeginObject();
  json.Field("calls", side.calls);
  json.Field("device_ns", side.device);
  json.Field("host_ns", side.host);
  json.Field("n", spread.n);
  json.Field("median", spread.median);
  json.Field("mad", spread.mad);
  json.EndObject();
}

void WriteEvents(const Node& node, JsonWriter& json) {
  json.Key("events");
  json.BeginObject();
  const auto write = [&](std::string_view key, const std::vector<uint32_t>& events) {
    json.Key(key);
    json.BeginArray();
    for (const uint32_t event : events) json.Value(event);
    json.EndArray();
  };
  write("base", node.base.events);
  write("new", node.now.events);
  json.EndObject();
}

void WriteNode(const Node& node, JsonWriter& json) {
  json.BeginObject();
  WriteKey("key", node.key, json);
  if (node.state == State::kMoved || node.state == State::kRenamed) {
    WriteKey("base_key", node.base_key, json);
  }
  json.Field("level",
             node.level == Level::kNone ? std::nullopt : std::optional(NameOf(node.level)));
  json.Field("state", NameOf(node.state));
  json.Field("line", OrNull(node.line));
  json.Field("measured", node.on_device ? "device" : "host");
  json.Field("changes_program", node.changes_program);
  WriteNodeSide("base", node.base, node.compared.base, json);
  WriteNodeSide("new", node.now, node.compared.now, json);
  WriteJudged(node.compared, json);
  json.Key("kernels");
  json.BeginArray();
  for (const KernelPair& pair : node.kernels) {
    json.BeginObject();
    json.Field("base", OrNull(pair.base));
    json.Field("new", OrNull(pair.now));
    json.Field("by", pair.by);
    json.Field("base_calls", pair.base_calls);
    json.Field("new_calls", pair.now_calls);
    json.Field("base_ns", pair.base_ns);
    json.Field("new_ns", pair.now_ns);
    json.EndObject();
  }
  json.EndArray();
  WriteEvents(node, json);
  json.EndObject();
}

// New and gone findings; what a gone one had promised stands beside what the step really gained.
void WriteFindings(const Diff& diff, JsonWriter& json) {
  const auto rules = [&](std::string_view key, auto wanted) {
    json.Key(key);
    json.BeginArray();
    for (const FindingChange& finding : diff.findings) {
      if (wanted(finding)) json.Value(finding.rule);
    }
    json.EndArray();
  };
  json.Key("findings");
  json.BeginObject(kLines);
  rules("new", [](const FindingChange& f) { return f.is_new(); });
  rules("gone", [](const FindingChange& f) { return f.is_gone(); });
  json.Key("may_be_noise");
  json.BeginArray();
  for (const FindingChange& finding : diff.findings) {
    if (!finding.may_be_noise()) continue;
    json.BeginObject();
    json.Field("rule", finding.rule);
    json.Field("side", finding.now ? "new" : "base");
    json.EndObject();
  }
  json.EndArray();
  json.Key("changed");
  json.BeginArray();
  for (const FindingChange& finding : diff.findings) {
    if (!finding.base || !finding.now || finding.base->saving_hi == finding.now->saving_hi)
      continue;
    json.BeginObject();
    json.Field("rule", finding.rule);
    json.Field("base_ns", finding.base->saving_hi);
    json.Field("new_ns", finding.now->saving_hi);
    json.EndObject();
  }
  json.EndArray();
  const Metric* const step = diff.Find("step_time");
  json.Key("savings");
  json.BeginArray();
  for (const FindingChange& finding : diff.findings) {
    if (!finding.is_gone()) continue;
    json.BeginObject();
    json.Field("rule", finding.rule);
    json.Field("promised_lo_ns", finding.base->saving_lo);
    json.Field("promised_hi_ns", finding.base->saving_hi);
    json.Field("gained_ns", step == nullptr ? std::nullopt : std::optional(-step->compared.delta));
    json.EndObject();
  }
  json.EndArray();
  json.EndObject();
}

void WriteVerdict(const Diff& diff, const Gate& gate, JsonWriter& json) {
  json.Key("verdict");
  json.BeginObject();
  json.Field("result", NameOf(diff.verdict.result));
  json.Field("sentence", diff.verdict.sentence);
  json.Field("gate", NameOf(gate.state));
  json.Key("why");
  json.BeginArray();
  for (const std::string& why : diff.verdict.why) json.Value(why);
  for (const std::string& why : gate.why) {
    const auto& known = diff.verdict.why;
    if (std::find(known.begin(), known.end(), why) == known.end()) json.Value(why);
  }
  json.EndArray();
  json.EndObject();
}

}  // namespace

void WriteDiffJson(const Diff& diff, const Gate& gate, Language language, std::string& out) {
  JsonWriter json(out, language);
  json.BeginObject(kLines);
  json.Field("schema", "stepscope.diff/1");
  WriteRuns("base", diff.base, json);
  WriteRuns("new", diff.now, json);
  json.Key("settings");
  json.BeginObject();
  json.Field("alpha", diff.settings.alpha);
  json.Field("threshold", diff.settings.threshold);
  json.Field("unit", NameOf(diff.unit));
  json.Field("seed", diff.settings.seed);
  json.Field("by", NameOf(diff.settings.by));
  json.EndObject();
  json.Key("environment");
  json.BeginArray(kLines);
  for (const EnvironmentChange& change : diff.environment) {
    json.BeginObject();
    json.Field("what", change.what);
    json.Field("base", OrNull(change.base));
    json.Field("new", OrNull(change.now));
    json.Field("severity", change.severity == Severity::kBreaks ? "breaks" : "note");
    json.EndObject();
  }
  json.EndArray();
  WriteVerdict(diff, gate, json);
  WriteMetrics(diff, json);
  WritePartition(diff, json);
  WriteMatch(diff.match, json);
  json.Key("nodes");
  json.BeginArray(kLines);
  for (const Node& node : diff.nodes) WriteNode(node, json);
  json.EndArray();
  json.Key("categories");
  json.BeginArray(kLines);
  for (const Node& node : diff.categories) WriteNode(node, json);
  json.EndArray();
  json.Key("rest");
  json.BeginObject();
  json.Field("nodes", diff.rest_nodes);
  json.Field("delta_ns", diff.rest_delta);
  json.EndObject();
  WriteFindings(diff, json);
  json.Key("notes");
  json.BeginArray();
  for (const Message& note : diff.notes) json.Value(note);
  json.EndArray();
  json.EndObject();
  out += '\n';
}

}  // namespace stepscope::diff
