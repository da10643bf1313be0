#include "tools/graph/graph_text.h"

#include <fmt/core.h>
#include <fmt/ranges.h>

#include "present/table.h"
#include "present/units.h"

namespace stepscope {
namespace {

constexpr size_t kTopRows = 12;

std::string_view SourceText(RoleSource source, bool any_trained) {
  if (source == RoleSource::kUpdates && !any_trained) return "the graph, which updates no variable";
  switch (source) {
    case RoleSource::kCollections:
      return "the graph's collections and the optimizer's updates";
    case RoleSource::kOpLog:
      return "the op log and the optimizer's updates";
    case RoleSource::kUpdates:
      return "the optimizer's updates";
  }
  return {};
}

std::string Parameters(const std::optional<int64_t>& count) {
  return count ? FormatCount(*count) : "?";
}

void AddCounts(const std::string& heading, const std::string& unit,
               const std::vector<CountedName>& names, const Style& style, std::string& out) {
  if (names.empty()) return;
  Table table(heading, {{heading}, {unit, Align::kRight}, {"", Align::kLeft, Fit::kBar}});
  const auto most = static_cast<double>(std::max<uint64_t>(names.front().count, 1));
  for (size_t i = 0; i < std::min(names.size(), kTopRows); ++i) {
    const std::string_view name = names[i].name.empty() ? "(not placed)" : names[i].name;
    table.AddRow({Cell(name), Cell(FormatCount(names[i].count)),
                  Cell::Bar(static_cast<double>(names[i].count) / most, Color::kBlue)});
  }
  out += "\n" + table.Render(style);
  if (names.size() > kTopRows) {
    out += fmt::format("  and {} more\n", FormatCount(uint64_t{names.size() - kTopRows}));
  }
}

}  // namespace

std::string ShapeText(const TensorShape& shape) {
  if (shape.unknown_rank) return "?";
  std::vector<std::string> dims;
  for (const int64_t dim : shape.dims) dims.push_back(dim < 0 ? "?" : std::to_string(dim));
  return fmt::format("[{}]", fmt::join(dims, ","));
}

std::string GraphSummaryText(const GraphSummary& summary, const Style& style) {
  std::string out = fmt::format(
      "{} nodes, {} data edges, {} control edges{}{}\n", FormatCount(summary.nodes),
      FormatCount(summary.edges), FormatCount(summary.control_edges),
      summary.functions > 0 ? fmt::format(", {} functions", FormatCount(summary.functions)) : "",
      summary.tensorflow_version.empty()
          ? ""
          : fmt::format(", TensorFlow {}", style.Clean(summary.tensorflow_version)));
  if (summary.dangling_inputs > 0) {
    out += fmt::format("{} inputs name nodes that are not in the graph\n",
                       FormatCount(summary.dangling_inputs));
  }
  out += fmt::format("Shapes: {} known ({} inferred here), {} partly, {} unknown\n",
                     FormatCount(summary.shapes_known), FormatCount(summary.shapes_inferred),
                     FormatCount(summary.shapes_partly), FormatCount(summary.shapes_unknown));
  Table roles("Parameters",
              {{"Parameters"}, {"parameters", Align::kRight}, {"variables", Align::kRight}});
  for (size_t i = 0; i < 4; ++i) {
    if (summary.variables[i] == 0) continue;
    roles.AddRow({Cell(NameOf(static_cast<VariableRole>(i))),
                  Cell(FormatCount(summary.parameters[i])),
                  Cell(FormatCount(summary.variables[i]))});
  }
  if (!roles.empty()) {
    out += "\n" + roles.Render(style);
    out +=
        fmt::format("  told from {}\n",
                    SourceText(summary.role_source,
                               summary.variables[static_cast<size_t>(VariableRole::kTrained)] > 0));
  }
  Table scopes("Parameters by scope", {{"Parameters by scope"},
                                       {"trained", Align::kRight},
                                       {"frozen", Align::kRight},
                                       {"other", Align::kRight, Fit::kDrop}});
  for (const ScopeParameters& scope : summary.scopes) {
    scopes.AddRow({Cell(scope.scope), Cell(FormatCount(scope.trained)),
                   Cell(FormatCount(scope.frozen)), Cell(FormatCount(scope.other))});
  }
  if (!scopes.empty()) out += "\n" + scopes.Render(style);
  AddCounts("Ops", "nodes", summary.ops, style, out);
  AddCounts("Devices", "nodes", summary.devices, style, out);
  AddCounts("Types", "nodes", summary.types, style, out);
  if (summary.flops_nodes > 0) {
    out += fmt::format(
        "\nFloat operations: {} in one run of every node, by tfprof's formulas ({} nodes have "
        "one)\n",
        FormatCount(summary.flops), FormatCount(summary.flops_nodes));
    AddCounts("Float operations by op", "flops", summary.flops_by_op, style, out);
  }
  if (summary.gradient_nodes > 0) {
    out += fmt::format("\n{} nodes compute gradients", FormatCount(summary.gradient_nodes));
    if (summary.unused_gradient_nodes > 0) {
      out +=
          fmt::format("; {} of them reach no update", FormatCount(summary.unused_gradient_nodes));
    }
    out += "\n";
  }
  return out;
}

std::string VariablesText(const Variables& variables, const Style& style) {
  Table table("Variables", {{"Variables", Align::kLeft, Fit::kShorten},
                            {"role"},
                            {"type", Align::kLeft, Fit::kDrop},
                            {"shape"},
                            {"parameters", Align::kRight},
                            {"bytes", Align::kRight, Fit::kDrop}});
  for (const Variable& variable : variables.items) {
    const Color color = variable.role == VariableRole::kTrained  ? Color::kGreen
                        : variable.role == VariableRole::kFrozen ? Color::kCyan
                                                                 : Color::kDim;
    table.AddRow({Cell(variable.name), Cell(NameOf(variable.role), color),
                  Cell(NameOf(variable.type)), Cell(ShapeText(variable.shape)),
                  Cell(Parameters(variable.parameters)),
                  Cell(variable.bytes ? FormatBytes(*variable.bytes) : "?")});
  }
  std::string out = table.empty() ? "The graph has no variables.\n" : table.Render(style);
  out +=
      fmt::format("\nTrained {}, frozen {}, optimizer {}, statistics {} parameters; told from {}\n",
                  FormatCount(variables.ParametersOf(VariableRole::kTrained)),
                  FormatCount(variables.ParametersOf(VariableRole::kFrozen)),
                  FormatCount(variables.ParametersOf(VariableRole::kSlot)),
                  FormatCount(variables.ParametersOf(VariableRole::kStatistic)),
                  SourceText(variables.source, variables.ParametersOf(VariableRole::kTrained) > 0));
  return out;
}

std::string FreezeText(const Variables& variables, const FreezeEffect& effect,
                       const FreezeCost& cost, const Style& style) {
  if (effect.frozen.empty()) {
    return "No trained variable matches; nothing would change. A regex matches whole names: try "
           "'.*NAME.*'.\n";
  }
  Table table("Leaving tf.gradients", {{"Leaving tf.gradients", Align::kLeft, Fit::kShorten},
                                       {"shape"},
                                       {"parameters", Align::kRight}});
  for (const uint32_t i : effect.frozen) {
    const Variable& variable = variables.items[i];
    table.AddRow({Cell(variable.name), Cell(ShapeText(variable.shape)),
                  Cell(Parameters(variable.parameters))});
  }
  std::string out = table.Render(style);
  out +=
      fmt::format("\n{} of {} trained parameters stop training\n", FormatCount(effect.parameters),
                  FormatCount(variables.ParametersOf(VariableRole::kTrained)));
  out += fmt::format("{} of {} gradient ops and {} update ops are no longer needed\n",
                     FormatCount(uint64_t{effect.gradient_nodes.size()}),
                     FormatCount(effect.all_gradient_nodes),
                     FormatCount(uint64_t{effect.update_nodes.size()}));
  out += fmt::format("{} of optimizer state is no longer needed ({})\n",
                     FormatBytes(effect.slot_bytes),
                     Plural(effect.slots.size(), "variable", "variables"));
  if (!cost.profiled) {
    out += "Give --run-meta F for the time and memory of these ops.\n";
    return out;
  }
  out += fmt::format(
      "{} of {} op time per step is saved ({} %), summed over ops; the step gains less where ops "
      "run side by side\n",
      FormatDuration({cost.micros * 1000}), FormatDuration({cost.all_micros * 1000}),
      FormatPercent(cost.micros, cost.all_micros));
  out += fmt::format("{} that these ops request per step is saved\n", FormatBytes(cost.bytes));
  return out;
}

std::string PlacementText(const GraphIndex& graph, const Variables& variables,
                          const Placement& placement, const std::optional<CopyCost>& copies,
                          const Style& style) {
  Table table("Placement", {{"Placement", Align::kLeft, Fit::kShorten},
                            {"device"},
                            {"shape", Align::kLeft, Fit::kDrop},
                            {"parameters", Align::kRight}});
  for (const Placement::Row& row : placement.rows) {
    const Variable& variable = variables.items[row.variable];
    const bool fixed = row.device == UINT32_MAX;
    const std::string device =
        fixed ? std::string(graph.node(variable.node).device) : placement.devices[row.device];
    table.AddRow({Cell(variable.name), Cell(device, fixed ? Color::kDim : Color::kPlain),
                  Cell(ShapeText(variable.shape)), Cell(Parameters(variable.parameters))});
  }
  std::string out = table.Render(style);
  Table load("Load", {{"Load"},
                      {"parameters", Align::kRight},
                      {"bytes", Align::kRight},
                      {"", Align::kLeft, Fit::kBar}});
  int64_t most = 1;
  for (const int64_t each : placement.load) most = std::max(most, each);
  for (size_t i = 0; i < placement.devices.size(); ++i) {
    load.AddRow({Cell(placement.devices[i]), Cell(FormatCount(placement.load[i])),
                 Cell(FormatBytes(placement.bytes[i])),
                 Cell::Bar(static_cast<double>(placement.load[i]) / static_cast<double>(most),
                           Color::kBlue)});
  }
  out += "\n" + load.Render(style);
  if (copies) {
    out += fmt::format("\nThe profile has {} copies per run between host and devices: {}, {}\n",
                       FormatCount(copies->copies), FormatDuration({copies->micros * 1000}),
                       copies->bytes > 0 ? FormatBytes(copies->bytes) : "sizes not recorded");
  }
  return out;
}

std::string ShapesText(const GraphIndex& graph, const std::vector<NodeShapes>& shapes,
                       const std::vector<uint32_t>& nodes, const Style& style) {
  Table table("Shapes", {{"Shapes", Align::kLeft, Fit::kShorten},
                         {"op"},
                         {"inputs", Align::kLeft, Fit::kDrop},
                         {"outputs"},
                         {"from", Align::kLeft, Fit::kDrop}});
  for (const uint32_t node : nodes) {
    std::vector<std::string> inputs;
    for (const GraphEdge& edge : graph.inputs(node)) {
      const bool there =
          edge.node < shapes.size() && edge.output < shapes[edge.node].outputs.size();
      inputs.push_back(there ? ShapeText(shapes[edge.node].outputs[edge.output]) : "?");
    }
    std::vector<std::string> outputs;
    for (const TensorShape& shape : shapes[node].outputs) outputs.push_back(ShapeText(shape));
    std::string_view source;
    switch (shapes[node].source) {
      case ShapeSource::kUnknown:
        source = "";
        break;
      case ShapeSource::kAttribute:
        source = "graph";
        break;
      case ShapeSource::kProfile:
        source = "profile";
        break;
      case ShapeSource::kInferred:
        source = "inferred";
        break;
    }
    table.AddRow({Cell(graph.node(node).name), Cell(graph.node(node).op),
                  Cell(fmt::format("{}", fmt::join(inputs, " "))),
                  Cell(fmt::format("{}", fmt::join(outputs, " "))), Cell(source, Color::kDim)});
  }
  if (table.empty()) return "No node matches. A regex matches whole names: try '.*NAME.*'.\n";
  return table.Render(style);
}

}  // namespace stepscope
