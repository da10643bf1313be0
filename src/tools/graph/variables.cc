#include "tools/graph/variables.h"

#include <algorithm>
#include <unordered_map>
#include <unordered_set>

namespace stepscope {
namespace {

bool IsVariable(std::string_view op) {
  return op == "VariableV2" || op == "Variable" || op == "VarHandleOp" || op == "Initializer";
}

// Optimizer ops: the variable first, then its slots.
bool IsUpdate(std::string_view op) {
  return op.starts_with("Apply") || op.starts_with("SparseApply") ||
         op.starts_with("ResourceApply") || op.starts_with("ResourceSparseApply");
}
bool IsAssign(std::string_view op) {
  return op == "AssignSub" || op == "AssignAdd" || op == "AssignSubVariableOp" ||
         op == "AssignAddVariableOp" || op == "Assign" || op == "AssignVariableOp" ||
         op.starts_with("ScatterSub") || op.starts_with("ScatterAdd") ||
         op.starts_with("ResourceScatter");
}

// The variable behind a reference or handle, or size().
uint32_t VariableBehind(const GraphIndex& graph, GraphEdge edge) {
  for (int i = 0; i < 64 && edge.node < graph.size(); ++i) {
    const std::string_view op = graph.node(edge.node).op;
    if (IsVariable(op)) return edge.node;
    const bool passes = op == "Identity" || op == "Enter" || op == "RefEnter" || op == "Switch" ||
                        op == "RefSwitch" || op == "RefIdentity";
    if (!passes || graph.inputs(edge.node).empty()) break;
    edge = graph.inputs(edge.node)[0];
  }
  return graph.size();
}

// All nodes that these need, themselves among them.
std::vector<bool> Ancestors(const GraphIndex& graph, const std::vector<uint32_t>& roots) {
  std::vector<bool> seen(graph.size());
  std::vector<uint32_t> stack;
  for (const uint32_t root : roots) {
    if (!seen[root]) stack.push_back(root);
    seen[root] = true;
  }
  while (!stack.empty()) {
    const uint32_t node = stack.back();
    stack.pop_back();
    const auto visit = [&](uint32_t next) {
      if (next == graph.size() || seen[next]) return;
      seen[next] = true;
      stack.push_back(next);
    };
    for (const GraphEdge& edge : graph.inputs(node)) visit(edge.node);
    for (const uint32_t control : graph.control_inputs(node)) visit(control);
  }
  return seen;
}

class Finder {
 public:
  Finder(const GraphIndex& graph, const std::vector<std::string_view>& trainable)
      : graph_(graph), trainable_(trainable.begin(), trainable.end()) {}

  Variables Find() {
    for (uint32_t i = 0; i < graph_.size(); ++i) {
      if (IsVariable(graph_.node(i).op)) Add(i);
    }
    for (uint32_t i = 0; i < graph_.size(); ++i) TakeUpdate(i);
    TakeKnownRoles();
    return std::move(variables_);
  }

 private:
  void Add(uint32_t node) {
    const NodeDef& def = graph_.node(node);
    Variable variable;
    variable.node = node;
    variable.name = def.name;
    variable.type = def.Type("dtype").value_or(DataType::kInvalid);
    variable.shape = def.Shape("shape").value_or(TensorShape{{}, true});
    variable.parameters = variable.shape.elements();
    int64_t bytes = 0;
    if (variable.parameters && SizeOf(variable.type) > 0 &&
        !__builtin_mul_overflow(*variable.parameters, SizeOf(variable.type), &bytes)) {
      variable.bytes = bytes;
    }
    index_of_.emplace(node, static_cast<uint32_t>(variables_.items.size()));
    variables_.items.push_back(std::move(variable));
  }

  Variable* VariableAt(uint32_t node, size_t input) {
    const std::vector<GraphEdge>& inputs = graph_.inputs(node);
    if (input >= inputs.size()) return nullptr;
    const auto found = index_of_.find(VariableBehind(graph_, inputs[input]));
    return found == index_of_.end() ? nullptr : &variables_.items[found->second];
  }

  void TakeUpdate(uint32_t node) {
    const std::string_view op = graph_.node(node).op;
    Variable* target = VariableAt(node, 0);
    if (target == nullptr) return;
    if (IsUpdate(op)) {
      target->role = VariableRole::kTrained;
      target->updates.push_back(node);
      for (size_t i = 1; i < graph_.inputs(node).size(); ++i) TakeSlot(node, i, *target);
    } else if (IsAssign(op) && target->role == VariableRole::kFrozen && !IsInitializer(node)) {
      const bool gradient = NeedsGradients(node);
      target->role = gradient ? VariableRole::kTrained : VariableRole::kStatistic;
      if (gradient) target->updates.push_back(node);
    }
  }

  // A slot has the name of its variable in front, and nothing else uses it: "w/Momentum",
  // "w/Adam_1".
  void TakeSlot(uint32_t update, size_t input, const Variable& target) {
    Variable* slot = VariableAt(update, input);
    if (slot == nullptr || slot == &target || slot->role == VariableRole::kTrained) return;
    slot->role = VariableRole::kSlot;
    slot->slot_of = index_of_.at(target.node);
  }

  // An Assign of values that depend on no variable and no gradient runs at the start or when a
  // checkpoint is restored.
  bool IsInitializer(uint32_t node) const {
    const std::string_view op = graph_.node(node).op;
    return op == "Assign" || op == "AssignVariableOp";
  }

  bool NeedsGradients(uint32_t node) {
    if (graph_.inputs(node).size() < 2) return false;
    const uint32_t value = graph_.inputs(node)[1].node;
    if (after_gradients_.empty()) FollowGradients();
    return value != graph_.size() && after_gradients_[value];
  }

  // Everything that gradients flow into.
  void FollowGradients() {
    after_gradients_.assign(graph_.size(), false);
    std::vector<uint32_t> stack;
    for (uint32_t i = 0; i < graph_.size(); ++i) {
      if (!IsGradientNode(graph_.node(i).name)) continue;
      after_gradients_[i] = true;
      stack.push_back(i);
    }
    while (!stack.empty()) {
      const uint32_t node = stack.back();
      stack.pop_back();
      for (const uint32_t next : graph_.consumers(node)) {
        if (after_gradients_[next]) continue;
        after_gradients_[next] = true;
        stack.push_back(next);
      }
    }
  }

  // Collections and the op log override what the updates suggest.
  void TakeKnownRoles() {
    if (graph_.graph().has_collections) {
      variables_.source = RoleSource::kCollections;
      for (const VariableDef& def : graph_.graph().variables) {
        if (def.trainable) trainable_.insert(def.name);
      }
    } else if (!trainable_.empty()) {
      variables_.source = RoleSource::kOpLog;
    } else {
      return;
    }
    for (Variable& variable : variables_.items) {
      const bool known = trainable_.contains(variable.name);
      // Trainable, but left out of the gradients: frozen in this training, if there is one.
      if (known && variable.role == VariableRole::kFrozen && !HasTraining()) {
        variable.role = VariableRole::kTrained;
      }
      if (!known && variable.role == VariableRole::kTrained && variable.updates.empty()) {
        variable.role = VariableRole::kFrozen;
      }
    }
  }

  bool HasTraining() const {
    return std::any_of(variables_.items.begin(), variables_.items.end(),
                       [](const Variable& v) { return !v.updates.empty(); });
  }

  const GraphIndex& graph_;
  std::unordered_set<std::string_view> trainable_;
  Variables variables_;
  std::unordered_map<uint32_t, uint32_t> index_of_;
  std::vector<bool> after_gradients_;
};

std::vector<uint32_t> GradientNodes(const GraphIndex& graph) {
  std::vector<uint32_t> nodes;
  for (uint32_t i = 0; i < graph.size(); ++i) {
    if (IsGradientNode(graph.node(i).name)) nodes.push_back(i);
  }
  return nodes;
}

}  // namespace

std::string_view NameOf(VariableRole role) {
  switch (role) {
    case VariableRole::kTrained:
      return "trained";
    case VariableRole::kFrozen:
      return "frozen";
    case VariableRole::kSlot:
      return "optimizer";
    case VariableRole::kStatistic:
      return "statistic";
  }
  return {};
}

int64_t Variables::ParametersOf(VariableRole role) const {
  int64_t sum = 0;
  for (const Variable& variable : items) {
    if (variable.role == role) sum += variable.parameters.value_or(0);
  }
  return sum;
}

bool IsGradientNode(std::string_view name) {
  constexpr std::string_view kScope = "gradients";
  for (size_t at = name.find(kScope); at != std::string_view::npos;
       at = name.find(kScope, at + 1)) {
    if (at > 0 && name[at - 1] != '/') continue;
    // "gradients/…", "gradients_1/…"
    size_t end = at + kScope.size();
    if (end < name.size() && name[end] == '_') {
      ++end;
      while (end < name.size() && name[end] >= '0' && name[end] <= '9') ++end;
    }
    if (end < name.size() && name[end] == '/') return true;
  }
  return false;
}

Variables FindVariables(const GraphIndex& graph, const std::vector<std::string_view>& trainable) {
  return Finder(graph, trainable).Find();
}

FreezeEffect Freeze(const GraphIndex& graph, const Variables& variables,
                    const std::function<bool(std::string_view)>& matches) {
  FreezeEffect effect;
  std::vector<uint32_t> gone;
  std::vector<uint32_t> kept;
  for (uint32_t i = 0; i < variables.items.size(); ++i) {
    const Variable& variable = variables.items[i];
    const bool frozen = variable.role == VariableRole::kTrained && matches(variable.name);
    if (frozen) {
      effect.frozen.push_back(i);
      effect.parameters += variable.parameters.value_or(0);
    }
    std::vector<uint32_t>& updates = frozen ? gone : kept;
    updates.insert(updates.end(), variable.updates.begin(), variable.updates.end());
    const bool slot_goes = variable.role == VariableRole::kSlot &&
                           variable.slot_of < variables.items.size() &&
                           matches(variables.items[variable.slot_of].name);
    if (slot_goes) {
      effect.slots.push_back(i);
      effect.slot_bytes += variable.bytes.value_or(0);
    }
  }
  effect.update_nodes = gone;
  const std::vector<bool> for_gone = Ancestors(graph, gone);
  const std::vector<bool> for_kept = Ancestors(graph, kept);
  for (const uint32_t node : GradientNodes(graph)) {
    ++effect.all_gradient_nodes;
    if (for_gone[node] && !for_kept[node]) effect.gradient_nodes.push_back(node);
  }
  return effect;
}

std::vector<uint32_t> UnusedGradients(const GraphIndex& graph, const Variables& variables) {
  std::vector<uint32_t> updates;
  for (const Variable& variable : variables.items) {
    updates.insert(updates.end(), variable.updates.begin(), variable.updates.end());
  }
  std::vector<uint32_t> unused;
  if (updates.empty()) return unused;
  const std::vector<bool> needed = Ancestors(graph, updates);
  for (const uint32_t node : GradientNodes(graph)) {
    if (!needed[node]) unused.push_back(node);
  }
  return unused;
}

Placement PlaceVariables(const GraphIndex& graph, const Variables& variables,
                         std::vector<std::string> devices) {
  Placement placement;
  placement.devices = std::move(devices);
  placement.load.assign(placement.devices.size(), 0);
  placement.bytes.assign(placement.devices.size(), 0);
  if (placement.devices.empty()) return placement;
  for (uint32_t i = 0; i < variables.items.size(); ++i) {
    const Variable& variable = variables.items[i];
    if (!graph.node(variable.node).device.empty()) {
      placement.rows.push_back({i, UINT32_MAX});
      continue;
    }
    const auto least = std::min_element(placement.load.begin(), placement.load.end());
    const auto device = static_cast<size_t>(least - placement.load.begin());
    placement.rows.push_back({i, static_cast<uint32_t>(device)});
    placement.load[device] += variable.parameters.value_or(0);
    placement.bytes[device] += variable.bytes.value_or(0);
  }
  return placement;
}

}  // namespace stepscope
