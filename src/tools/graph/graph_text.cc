#include "tools/graph/graph_text.h"

#include <fmt/core.h>
#include <fmt/ranges.h>

#include "present/table.h"
#include "present/units.h"
#include "words/graph.h"

namespace stepscope {
namespace {

constexpr SayFrom<kGraphTexts> Say;
using Speaker = SayIn<kGraphTexts>;

constexpr size_t kTopRows = 12;

Message InWords(RoleSource source, bool any_trained) {
  if (source == RoleSource::kUpdates && !any_trained) return Say("graph.from.no-update");
  switch (source) {
    case RoleSource::kCollections:
      return Say("graph.from.collections");
    case RoleSource::kOpLog:
      return Say("graph.from.op-log");
    case RoleSource::kUpdates:
      return Say("graph.from.updates");
  }
  return {};
}

Message InWords(VariableRole role) {
  switch (role) {
    case VariableRole::kTrained:
      return Say("graph.role.trained");
    case VariableRole::kFrozen:
      return Say("graph.role.frozen");
    case VariableRole::kSlot:
      return Say("graph.role.optimizer");
    case VariableRole::kStatistic:
      return Say("graph.role.statistic");
  }
  return {};
}

Message InWords(ShapeSource source) {
  switch (source) {
    case ShapeSource::kUnknown:
      return {};
    case ShapeSource::kAttribute:
      return Say("graph.shape.graph");
    case ShapeSource::kProfile:
      return Say("graph.shape.profile");
    case ShapeSource::kInferred:
      return Say("graph.shape.inferred");
  }
  return {};
}

std::string Parameters(const std::optional<int64_t>& count) {
  return count ? FormatCount(*count) : "?";
}

void AddCounts(const Message& heading, const Message& unit, const std::vector<CountedName>& names,
               const Style& style, std::string& out) {
  if (names.empty()) return;
  const Speaker say(style);
  Table table(
      style.Say(heading),
      {{style.Say(heading)}, {style.Say(unit), Align::kRight}, {"", Align::kLeft, Fit::kBar}});
  const auto most = static_cast<double>(std::max<uint64_t>(names.front().count, 1));
  for (size_t i = 0; i < std::min(names.size(), kTopRows); ++i) {
    const std::string name =
        names[i].name.empty() ? say("graph.not-placed") : std::string(names[i].name);
    table.AddRow({Cell(name), Cell(FormatCount(names[i].count)),
                  Cell::Bar(static_cast<double>(names[i].count) / most, Color::kBlue)});
  }
  out += "\n" + table.Render(style);
  if (names.size() > kTopRows) {
    out += "  " + say("graph.more", names.size() - kTopRows) + "\n";
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
  const Speaker say(style);
  std::string out = say("graph.size", summary.nodes, summary.edges, summary.control_edges);
  if (summary.functions > 0) out += say("graph.functions", summary.functions);
  if (!summary.tensorflow_version.empty()) {
    out += say("graph.version", style.Clean(summary.tensorflow_version));
  }
  out += "\n";
  if (summary.dangling_inputs > 0) out += say("graph.dangling", summary.dangling_inputs) + "\n";
  out += say("graph.shapes-known", summary.shapes_known, summary.shapes_inferred,
             summary.shapes_partly, summary.shapes_unknown) +
         "\n";
  Table roles(say("graph.heading.parameters"), {{say("graph.heading.parameters")},
                                                {say("graph.column.parameters"), Align::kRight},
                                                {say("graph.column.variables"), Align::kRight}});
  for (size_t i = 0; i < 4; ++i) {
    if (summary.variables[i] == 0) continue;
    roles.AddRow({Cell(style.Say(InWords(static_cast<VariableRole>(i)))),
                  Cell(FormatCount(summary.parameters[i])),
                  Cell(FormatCount(summary.variables[i]))});
  }
  if (!roles.empty()) {
    out += "\n" + roles.Render(style);
    const bool any_trained = summary.variables[static_cast<size_t>(VariableRole::kTrained)] > 0;
    out += "  " + say("graph.told-from", InWords(summary.role_source, any_trained)) + "\n";
  }
  Table scopes(say("graph.heading.scopes"),
               {{say("graph.heading.scopes")},
                {say("graph.column.trained"), Align::kRight},
                {say("graph.column.frozen"), Align::kRight},
                {say("graph.column.other"), Align::kRight, Fit::kDrop}});
  for (const ScopeParameters& scope : summary.scopes) {
    scopes.AddRow({Cell(scope.scope), Cell(FormatCount(scope.trained)),
                   Cell(FormatCount(scope.frozen)), Cell(FormatCount(scope.other))});
  }
  if (!scopes.empty()) out += "\n" + scopes.Render(style);
  AddCounts(Say("graph.heading.ops"), Say("graph.column.nodes"), summary.ops, style, out);
  AddCounts(Say("graph.heading.devices"), Say("graph.column.nodes"), summary.devices, style, out);
  AddCounts(Say("graph.heading.types"), Say("graph.column.nodes"), summary.types, style, out);
  if (summary.flops_nodes > 0) {
    out += "\n" + say("graph.flops", summary.flops, summary.flops_nodes) + "\n";
    AddCounts(Say("graph.heading.flops"), Say("graph.column.flops"), summary.flops_by_op, style,
              out);
  }
  if (summary.gradient_nodes > 0) {
    out += "\n" + say("graph.gradients", summary.gradient_nodes);
    if (summary.unused_gradient_nodes > 0) {
      out += say("graph.unused-gradients", summary.unused_gradient_nodes);
    }
    out += "\n";
  }
  return out;
}

std::string VariablesText(const Variables& variables, const Style& style) {
  const Speaker say(style);
  Table table(say("graph.heading.variables"),
              {{say("graph.heading.variables"), Align::kLeft, Fit::kShorten},
               {say("graph.column.role")},
               {say("graph.column.type"), Align::kLeft, Fit::kDrop},
               {say("graph.column.shape")},
               {say("graph.column.parameters"), Align::kRight},
               {say("graph.column.bytes"), Align::kRight, Fit::kDrop}});
  for (const Variable& variable : variables.items) {
    const Color color = variable.role == VariableRole::kTrained  ? Color::kGreen
                        : variable.role == VariableRole::kFrozen ? Color::kCyan
                                                                 : Color::kDim;
    table.AddRow({Cell(variable.name), Cell(style.Say(InWords(variable.role)), color),
                  Cell(NameOf(variable.type)), Cell(ShapeText(variable.shape)),
                  Cell(Parameters(variable.parameters)),
                  Cell(variable.bytes ? FormatBytes(*variable.bytes) : "?")});
  }
  const std::string out = table.empty() ? say("graph.no-variables") + "\n" : table.Render(style);
  const auto trained = variables.ParametersOf(VariableRole::kTrained);
  return out + "\n" +
         say("graph.roles", trained, variables.ParametersOf(VariableRole::kFrozen),
             variables.ParametersOf(VariableRole::kSlot),
             variables.ParametersOf(VariableRole::kStatistic),
             InWords(variables.source, trained > 0)) +
         "\n";
}

std::string FreezeText(const Variables& variables, const FreezeEffect& effect,
                       const FreezeCost& cost, const Style& style) {
  const Speaker say(style);
  if (effect.frozen.empty()) return say("graph.nothing-frozen") + "\n";
  Table table(say("graph.heading.leaving"),
              {{say("graph.heading.leaving"), Align::kLeft, Fit::kShorten},
               {say("graph.column.shape")},
               {say("graph.column.parameters"), Align::kRight}});
  for (const uint32_t i : effect.frozen) {
    const Variable& variable = variables.items[i];
    table.AddRow({Cell(variable.name), Cell(ShapeText(variable.shape)),
                  Cell(Parameters(variable.parameters))});
  }
  std::string out = table.Render(style) + "\n";
  const auto line = [&](const Message& text) { out += style.Say(text) + "\n"; };
  line(Say("graph.stop-training", effect.parameters,
           variables.ParametersOf(VariableRole::kTrained)));
  line(Say("graph.unneeded", effect.gradient_nodes.size(), effect.all_gradient_nodes,
           effect.update_nodes.size()));
  line(Say("graph.slots-unneeded", FormatBytes(effect.slot_bytes), effect.slots.size()));
  if (!cost.profiled) {
    line(Say("graph.give-run-meta"));
    return out;
  }
  line(Say("graph.time-saved", FormatDuration({cost.micros * 1000}),
           FormatDuration({cost.all_micros * 1000}), FormatPercent(cost.micros, cost.all_micros)));
  line(Say("graph.memory-saved", FormatBytes(cost.bytes)));
  return out;
}

std::string PlacementText(const GraphIndex& graph, const Variables& variables,
                          const Placement& placement, const std::optional<CopyCost>& copies,
                          const Style& style) {
  const Speaker say(style);
  Table table(say("graph.heading.placement"),
              {{say("graph.heading.placement"), Align::kLeft, Fit::kShorten},
               {say("graph.column.device")},
               {say("graph.column.shape"), Align::kLeft, Fit::kDrop},
               {say("graph.column.parameters"), Align::kRight}});
  for (const Placement::Row& row : placement.rows) {
    const Variable& variable = variables.items[row.variable];
    const bool fixed = row.device == UINT32_MAX;
    const std::string device =
        fixed ? std::string(graph.node(variable.node).device) : placement.devices[row.device];
    table.AddRow({Cell(variable.name), Cell(device, fixed ? Color::kDim : Color::kPlain),
                  Cell(ShapeText(variable.shape)), Cell(Parameters(variable.parameters))});
  }
  std::string out = table.Render(style);
  Table load(say("graph.heading.load"), {{say("graph.heading.load")},
                                         {say("graph.column.parameters"), Align::kRight},
                                         {say("graph.column.bytes"), Align::kRight},
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
    out += "\n" +
           say("graph.copies", copies->copies, FormatDuration({copies->micros * 1000}),
               copies->bytes > 0 ? FormatBytes(copies->bytes) : say("graph.no-sizes")) +
           "\n";
  }
  return out;
}

std::string ShapesText(const GraphIndex& graph, const std::vector<NodeShapes>& shapes,
                       const std::vector<uint32_t>& nodes, const Style& style) {
  const Speaker say(style);
  Table table(say("graph.heading.shapes"),
              {{say("graph.heading.shapes"), Align::kLeft, Fit::kShorten},
               {say("graph.column.op")},
               {say("graph.column.inputs"), Align::kLeft, Fit::kDrop},
               {say("graph.column.outputs")},
               {say("graph.column.from"), Align::kLeft, Fit::kDrop}});
  for (const uint32_t node : nodes) {
    std::vector<std::string> inputs;
    for (const GraphEdge& edge : graph.inputs(node)) {
      const bool there =
          edge.node < shapes.size() && edge.output < shapes[edge.node].outputs.size();
      inputs.push_back(there ? ShapeText(shapes[edge.node].outputs[edge.output]) : "?");
    }
    std::vector<std::string> outputs;
    for (const TensorShape& shape : shapes[node].outputs) outputs.push_back(ShapeText(shape));
    table.AddRow({Cell(graph.node(node).name), Cell(graph.node(node).op),
                  Cell(fmt::format("{}", fmt::join(inputs, " "))),
                  Cell(fmt::format("{}", fmt::join(outputs, " "))),
                  Cell(style.Say(InWords(shapes[node].source)), Color::kDim)});
  }
  if (table.empty()) return say("graph.no-match") + "\n";
  return table.Render(style);
}

}  // namespace stepscope
