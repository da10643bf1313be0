#include <fmt/core.h>

#include "command/damage.h"
#include "present/json_writer.h"
#include "tools/graph/graph_text.h"

namespace stepscope {
namespace {

using Layout = JsonWriter::Layout;

void PutShape(JsonWriter& json, const TensorShape& shape) {
  if (shape.unknown_rank) {
    json.Value(nullptr);
    return;
  }
  json.BeginArray();
  for (const int64_t dim : shape.dims) {
    dim < 0 ? json.Value(nullptr) : json.Value(dim);
  }
  json.EndArray();
}

void PutCounts(JsonWriter& json, std::string_view key, const std::vector<CountedName>& names) {
  json.Key(key);
  json.BeginObject(Layout::kLines);
  for (const CountedName& name : names) json.Field(name.name, name.count);
  json.EndObject();
}

void PutNames(JsonWriter& json, std::string_view key, const GraphIndex& graph,
              const std::vector<uint32_t>& nodes) {
  json.Key(key);
  json.BeginArray(Layout::kLines);
  for (const uint32_t node : nodes) json.Value(graph.node(node).name);
  json.EndArray();
}

}  // namespace

std::string GraphSummaryJson(const GraphSummary& summary) {
  std::string out;
  JsonWriter json(out);
  json.BeginObject(Layout::kLines);
  json.Field("schema", "stepscope.graph/1");
  json.Field("nodes", summary.nodes);
  json.Field("edges", summary.edges);
  json.Field("control_edges", summary.control_edges);
  json.Field("functions", summary.functions);
  json.Field("dangling_inputs", summary.dangling_inputs);
  json.Key("shapes");
  json.BeginObject();
  json.Field("known", summary.shapes_known);
  json.Field("partly", summary.shapes_partly);
  json.Field("unknown", summary.shapes_unknown);
  json.Field("inferred", summary.shapes_inferred);
  json.EndObject();
  json.Key("parameters");
  json.BeginObject();
  for (size_t i = 0; i < 4; ++i) {
    json.Field(NameOf(static_cast<VariableRole>(i)), summary.parameters[i]);
  }
  json.EndObject();
  json.Objects("scopes", Layout::kLines, summary.scopes, [&](const ScopeParameters& scope) {
    json.Field("scope", scope.scope);
    json.Field("trained", scope.trained);
    json.Field("frozen", scope.frozen);
    json.Field("other", scope.other);
  });
  PutCounts(json, "ops", summary.ops);
  PutCounts(json, "devices", summary.devices);
  PutCounts(json, "types", summary.types);
  json.Field("flops", summary.flops);
  PutCounts(json, "flops_by_op", summary.flops_by_op);
  json.Field("gradient_nodes", summary.gradient_nodes);
  json.Field("unused_gradient_nodes", summary.unused_gradient_nodes);
  WriteDamage(json);
  json.EndObject();
  return out + "\n";
}

std::string VariablesJson(const GraphIndex& graph, const Variables& variables,
                          const FreezeEffect* effect, const FreezeCost* cost,
                          const Placement* placement) {
  std::string out;
  JsonWriter json(out);
  json.BeginObject(Layout::kLines);
  json.Field("schema", "stepscope.graph.variables/1");
  json.Objects("variables", Layout::kLines, variables.items, [&](const Variable& variable) {
    json.Field("name", variable.name);
    json.Field("role", NameOf(variable.role));
    json.Field("type", NameOf(variable.type));
    json.Key("shape");
    PutShape(json, variable.shape);
    json.Field("parameters", variable.parameters);
    json.Field("bytes", variable.bytes);
  });
  if (effect != nullptr) {
    json.Key("freeze");
    json.BeginObject(Layout::kLines);
    json.Field("parameters", effect->parameters);
    json.Field("slot_bytes", effect->slot_bytes);
    json.Field("all_gradient_nodes", effect->all_gradient_nodes);
    PutNames(json, "gradient_nodes", graph, effect->gradient_nodes);
    PutNames(json, "update_nodes", graph, effect->update_nodes);
    if (cost != nullptr && cost->profiled) {
      json.Field("op_ns", cost->micros * 1000);
      json.Field("all_op_ns", cost->all_micros * 1000);
      json.Field("requested_bytes", cost->bytes);
    }
    json.EndObject();
  }
  if (placement != nullptr) {
    json.Key("placement");
    json.BeginObject(Layout::kLines);
    json.Key("devices");
    json.BeginArray(Layout::kLines);
    for (size_t i = 0; i < placement->devices.size(); ++i) {
      json.BeginObject();
      json.Field("device", placement->devices[i]);
      json.Field("parameters", placement->load[i]);
      json.Field("bytes", placement->bytes[i]);
      json.EndObject();
    }
    json.EndArray();
    json.Key("variables");
    json.BeginArray(Layout::kLines);
    for (const Placement::Row& row : placement->rows) {
      const Variable& variable = variables.items[row.variable];
      json.BeginObject();
      json.Field("name", variable.name);
      if (row.device == UINT32_MAX) {
        json.Field("device", graph.node(variable.node).device);
        json.Field("fixed", true);
      } else {
        json.Field("device", placement->devices[row.device]);
        json.Field("fixed", false);
      }
      json.EndObject();
    }
    json.EndArray();
    json.EndObject();
  }
  WriteDamage(json);
  json.EndObject();
  return out + "\n";
}

std::string ShapesJson(const GraphIndex& graph, const std::vector<NodeShapes>& shapes,
                       const std::vector<std::optional<int64_t>>& flops,
                       const std::vector<uint32_t>& nodes) {
  std::string out;
  JsonWriter json(out);
  json.BeginObject(Layout::kLines);
  json.Field("schema", "stepscope.graph.nodes/1");
  json.Key("nodes");
  json.BeginArray(Layout::kLines);
  for (const uint32_t node : nodes) {
    const NodeDef& def = graph.node(node);
    json.BeginObject();
    json.Field("name", def.name);
    json.Field("op", def.op);
    json.Field("device", def.device);
    json.Key("inputs");
    json.BeginArray();
    for (const std::string_view input : def.inputs) json.Value(input);
    json.EndArray();
    json.Key("shapes");
    json.BeginArray();
    for (const TensorShape& shape : shapes[node].outputs) PutShape(json, shape);
    json.EndArray();
    json.Field("flops", flops[node]);
    json.EndObject();
  }
  json.EndArray();
  WriteDamage(json);
  json.EndObject();
  return out + "\n";
}

std::string GraphDot(const GraphIndex& graph, const std::vector<NodeShapes>& shapes) {
  const auto quoted = [](std::string_view text) {
    std::string out = "\"";
    for (const char c : text) {
      if (c == '"' || c == '\\') out += '\\';
      out += static_cast<unsigned char>(c) < 0x20 ? ' ' : c;
    }
    return out + '"';
  };
  std::string out = "digraph model {\n  node [shape=box, fontsize=10];\n";
  for (uint32_t i = 0; i < graph.size(); ++i) {
    const NodeDef& node = graph.node(i);
    out += fmt::format("  {} [label={}];\n", quoted(node.name),
                       quoted(fmt::format("{} ({})", node.name, node.op)));
    for (const GraphEdge& edge : graph.inputs(i)) {
      if (edge.node == graph.size()) continue;
      const bool there = edge.output < shapes[edge.node].outputs.size();
      out += fmt::format("  {} -> {} [label={}];\n", quoted(graph.node(edge.node).name),
                         quoted(node.name),
                         quoted(there ? ShapeText(shapes[edge.node].outputs[edge.output]) : "?"));
    }
    for (const uint32_t control : graph.control_inputs(i)) {
      out += fmt::format("  {} -> {} [style=dotted];\n", quoted(graph.node(control).name),
                         quoted(node.name));
    }
  }
  return out + "}\n";
}

}  // namespace stepscope
