#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <set>

#include "command/damage.h"
#include "present/csv.h"
#include "present/json_writer.h"
#include "tools/events/event_log.h"
#include "tools/nan/frames.h"
#include "tools/nan/nan_text.h"
#include "tools/nan/tensor_name.h"

namespace stepscope {
namespace {

constexpr auto kLines = JsonWriter::Layout::kLines;

void WriteCounts(JsonWriter& json, const TensorHealth& health) {
  json.Key("counts");
  json.BeginObject();
  const auto field = [&](const char* key, uint64_t HealthCounts::* member) {
    json.Key(key);
    if (health.counts) {
      json.Value((*health.counts).*member);
    } else {
      json.Value(nullptr);
    }
  };
  field("nan", &HealthCounts::nan);
  field("pos_inf", &HealthCounts::pos_inf);
  field("neg_inf", &HealthCounts::neg_inf);
  field("size", &HealthCounts::size);
  json.EndObject();
  if (!health.counts && health.kinds_known) {
    json.Key("kinds");
    json.BeginArray();
    if (health.nan) json.Value("nan");
    if (health.pos_inf) json.Value("pos_inf");
    if (health.neg_inf) json.Value("neg_inf");
    if (health.inf) json.Value("inf");
    json.EndArray();
  }
}

void WriteFrame(JsonWriter& json, const DebugFrame& frame) {
  json.BeginObject();
  json.Field("file", frame.file);
  json.Field("line", frame.line);
  json.Field("function", frame.function);
  json.Field("library", IsLibraryFrame(frame.file));
  json.EndObject();
}

enum class Stack : uint8_t { kWith, kWithout };

void WriteBad(JsonWriter& json, const DebugDump& dump, const BadOutput& bad, Stack stack) {
  const bool eager = bad.where == BadOutput::Where::kEager;
  json.BeginObject();
  json.Field("where", eager ? "eager" : "graph");
  json.Field(eager ? "execution_index" : "trace_index", bad.index);
  json.Key("graph_id");
  if (bad.graph_id.empty()) {
    json.Value(nullptr);
  } else {
    json.Value(bad.graph_id);
  }
  json.Field("graph_name", bad.graph_name);
  json.Field("op", bad.op);
  json.Field("op_type", bad.op_type);
  json.Field("slot", bad.slot);
  json.Field("wall_time", bad.wall_time);
  json.Field("step", bad.step);
  json.Field("execution", bad.execution);
  json.Field("inputs_finite", bad.inputs_finite);
  WriteCounts(json, bad.health);
  if (stack == Stack::kWith) {
    json.Key("stack");
    json.BeginArray(kLines);
    for (const FrameIndex frame : bad.stack) WriteFrame(json, dump.frames[frame]);
    json.EndArray();
  }
  json.EndObject();
}

void WriteNeighbors(JsonWriter& json, const char* key,
                    const std::vector<GraphNeighbor>& neighbors) {
  json.Objects(key, neighbors, [&](const GraphNeighbor& one) {
    json.Field("op", one.op);
    json.Field("op_type", one.op_type);
    json.Key("finite");
    if (one.health && one.health->known) {
      json.Value(!one.health->bad);
    } else {
      json.Value(nullptr);
    }
  });
}

void WriteTail(JsonWriter& json) {
  json.Key("first_by_graph");
  json.BeginArray();
  json.EndArray();
  json.Key("eager_bad");
  json.BeginArray();
  json.EndArray();
}

std::string Quoted(std::string_view text) {
  std::string out = "\"";
  for (const char c : text) {
    if (c == '"' || c == '\\') out += '\\';
    out += c;
  }
  return out + "\"";
}

}  // namespace

std::string NanHuntJson(const DebugDump& dump, const NanHunt& hunt, Language language) {
  std::string out;
  JsonWriter json(out, language);
  json.BeginObject(kLines);
  json.Field("schema", "stepscope.nan/1");
  json.Field("tensorflow_version", dump.tensorflow_version);
  json.Key("modes");
  json.BeginArray();
  for (const TensorDebugMode mode : dump.modes) json.Value(NameOf(mode));
  json.EndArray();
  json.Field("can_tell", hunt.can_tell);
  json.Key("source");
  if (hunt.source) {
    WriteBad(json, dump, *hunt.source, Stack::kWith);
  } else {
    json.Value(nullptr);
  }
  json.Field("source_is_argument", hunt.source_is_argument);
  WriteNeighbors(json, "inputs", hunt.inputs);
  WriteNeighbors(json, "consumers", hunt.consumers);
  json.Key("first_by_graph");
  json.BeginArray(kLines);
  for (const size_t at : hunt.first_by_graph) {
    WriteBad(json, dump, hunt.all[at], Stack::kWithout);
  }
  json.EndArray();
  json.Key("eager_bad");
  json.BeginArray();
  for (const size_t index : hunt.eager_bad) json.Value(index);
  json.EndArray();
  json.Key("spread");
  json.BeginArray();
  for (const size_t index : hunt.spread) json.Value(index);
  json.EndArray();
  json.Key("all");
  json.BeginArray(kLines);
  for (const BadOutput& bad : hunt.all) WriteBad(json, dump, bad, Stack::kWithout);
  json.EndArray();
  json.Objects("damage", kLines, dump.damage, [&](const DebugDamage& damage) {
    json.Field("file", damage.file);
    json.Field("offset", damage.offset);
    json.Field("sentence", damage.sentence);
  });
  json.EndObject();
  return out + "\n";
}

std::string NanHuntCsv(const NanHunt& hunt) {
  std::string out;
  CsvWriter csv(out);
  csv.Header({"where", "index", "step", "graph", "op", "op_type", "slot", "inputs_finite", "nan",
              "pos_inf", "neg_inf", "size"});
  for (const BadOutput& bad : hunt.all) {
    const auto count = [&](uint64_t HealthCounts::* member) {
      return bad.health.counts ? std::optional((*bad.health.counts).*member) : std::nullopt;
    };
    csv.Row(bad.where == BadOutput::Where::kEager ? "eager" : "graph", bad.index, bad.step,
            bad.graph_name, bad.op, bad.op_type, bad.slot, bad.inputs_finite ? "yes" : "no",
            count(&HealthCounts::nan), count(&HealthCounts::pos_inf), count(&HealthCounts::neg_inf),
            count(&HealthCounts::size));
  }
  return out;
}

std::string NanHuntDot(const DebugDump& dump, const NanHunt& hunt) {
  constexpr size_t kMostOps = 400;
  std::string out = "digraph nan {\n  rankdir=LR;\n  node [shape=box, fontname=\"sans\"];\n";
  // An eager source has no graph: the first graph that went bad stands in.
  const bool eager = hunt.source && hunt.source->where == BadOutput::Where::kEager;
  const BadOutput* shown = hunt.source && !eager ? &*hunt.source : nullptr;
  if (eager && !hunt.first_by_graph.empty()) shown = &hunt.all[hunt.first_by_graph[0]];
  const DebugGraph* graph = shown != nullptr ? dump.FindGraph(shown->graph_id) : nullptr;
  std::set<std::string> bad;
  for (const BadOutput& one : hunt.all) {
    const bool inside = one.where == BadOutput::Where::kGraph;
    if (graph != nullptr && inside && one.graph_id == graph->id) bad.insert(one.op);
  }
  for (size_t i = 0; graph != nullptr && i < std::min(kMostOps, graph->ops.size()); ++i) {
    const DebugOp& op = graph->ops[i];
    const bool is_source = op.name == shown->op;
    out += fmt::format("  {} [label={}{}{}];\n", Quoted(op.name),
                       Quoted(fmt::format("{} ({})", op.name, op.type)),
                       bad.contains(op.name) ? ", style=filled, fillcolor=\"#f4a6a0\"" : "",
                       is_source ? ", penwidth=4, color=\"#c00000\"" : "");
    for (const std::string& input : op.inputs) {
      const auto name = ParseTensorName(input);
      if (!name) continue;
      const bool carries = bad.contains(std::string(name->op));
      out += fmt::format("  {} -> {}{};\n", Quoted(name->op), Quoted(op.name),
                         carries ? " [color=\"#c00000\"]" : "");
    }
  }
  return out + "}\n";
}

std::string NanMessagesJson(const std::vector<CheckNumericsMessage>& messages, Language language) {
  std::string out;
  JsonWriter json(out, language);
  const auto write = [&](const CheckNumericsMessage& one) {
    json.BeginObject();
    json.Field("where", one.eager ? "eager" : "graph");
    json.Field("graph_id", nullptr);
    json.Field("graph_name", one.graph);
    json.Field("op", one.op);
    json.Field("op_type", one.op_type);
    json.Field("slot", one.slot);
    json.Field("line", one.line);
    WriteCounts(json, one.health);
    json.Key("stack");
    json.BeginArray();
    for (const DebugFrame& frame : one.stack) WriteFrame(json, frame);
    json.EndArray();
    json.EndObject();
  };
  json.BeginObject(kLines);
  json.Field("schema", "stepscope.nan/1");
  json.Key("source");
  if (messages.empty()) {
    json.Value(nullptr);
  } else {
    write(messages.front());
  }
  WriteTail(json);
  json.Key("all");
  json.BeginArray(kLines);
  for (const CheckNumericsMessage& one : messages) write(one);
  json.EndArray();
  WriteDamage(json);
  json.EndObject();
  return out + "\n";
}

std::string NanMessagesCsv(const std::vector<CheckNumericsMessage>& messages, Language language) {
  std::string out;
  CsvWriter csv(out);
  csv.Header({"line", "where", "graph", "op", "op_type", "slot", "values"});
  for (const CheckNumericsMessage& one : messages) {
    csv.Row(one.line, one.eager ? "eager" : "graph", one.graph, one.op, one.op_type, one.slot,
            Render(InWords(one.health), language));
  }
  return out;
}

std::string NanScalarsJson(const std::vector<NanScalar>& scalars, Language language) {
  std::string out;
  JsonWriter json(out, language);
  json.BeginObject(kLines);
  json.Field("schema", "stepscope.nan/1");
  json.Field("source", nullptr);
  WriteTail(json);
  json.Key("all");
  json.BeginArray();
  json.EndArray();
  json.Objects("scalars", kLines, scalars, [&](const NanScalar& one) {
    json.Field("run", one.run);
    json.Field("tag", one.tag);
    json.Field("step", one.first.step);
    json.Field("wall_time", one.first.wall_time);
    json.Field("value", FormatValue(one.first.value));
    json.Key("last_finite_step");
    if (one.last_finite) {
      json.Value(one.last_finite->step);
    } else {
      json.Value(nullptr);
    }
  });
  WriteDamage(json);
  json.EndObject();
  return out + "\n";
}

std::string NanScalarsCsv(const std::vector<NanScalar>& scalars) {
  std::string out;
  CsvWriter csv(out);
  csv.Header({"run", "tag", "step", "wall_time", "value"});
  for (const NanScalar& one : scalars) {
    csv.Row(one.run, one.tag, one.first.step, FormatValue(one.first.wall_time),
            FormatValue(one.first.value));
  }
  return out;
}

}  // namespace stepscope
