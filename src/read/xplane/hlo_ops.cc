#include "read/xplane/hlo_ops.h"

#include <algorithm>
#include <array>
#include <tuple>

namespace stepscope::xplane {
namespace {

bool CostsNothing(std::string_view opcode) {
  constexpr auto kFree = std::to_array<std::string_view>(
      {"parameter", "constant", "tuple", "get-tuple-element", "bitcast", "after-all"});
  return std::ranges::find(kFree, opcode) != kFree.end();
}

// "jit_f(12190760917235803885)" is a run of module "jit_f".
HloOp FromTpuMetadata(const Plane& plane, const EventMetadata& metadata, StringTable& strings) {
  HloOp op;
  plane.ForEachStat(metadata.stats, [&](std::string_view name, const StatValue& value) {
    if (name == "hlo_category") op.category = strings.Intern(plane.Text(value));
    if (name == "tf_op") {
      std::string_view path = plane.Text(value);
      if (path.ends_with(':')) path.remove_suffix(1);
      op.op_name = strings.Intern(path);
    }
    if (name == "source") op.source = strings.Intern(plane.Text(value));
    if (name == "flops") op.flops = value.Integer(-1);
    if (name == "bytes_accessed") op.bytes = value.Integer(-1);
  });
  if (op.category == kEmptyString) return {};
  op.name = strings.Intern(metadata.display_name.empty() ? metadata.name : metadata.display_name);
  return op;
}

}  // namespace

HloNames NamesOfHlo(const Space& space, const std::vector<HloModule>& modules) {
  HloNames names;
  for (const Plane& plane : space.planes) {
    if (!ParsePlaneName(plane.name).is_device()) continue;
    for (const auto& [id, name] : plane.stat_names) names.on_devices.insert(name);
  }
  for (const HloModule& module : modules) {
    for (const HloInstruction& instruction : module.instructions) {
      if (!CostsNothing(instruction.opcode)) {
        names.by_kernel.emplace(KernelNameOf(instruction.name), instruction.name);
      }
    }
  }
  return names;
}

void AddHloOps(const Space& space, const std::vector<HloModule>& modules, Trace& trace) {
  StringTable& strings = trace.strings;
  for (const HloModule& module : modules) {
    for (const HloInstruction& instruction : module.instructions) {
      if (CostsNothing(instruction.opcode)) continue;
      HloOp op;
      op.module = strings.Intern(module.name);
      op.name = strings.Intern(instruction.name);
      op.category = strings.Intern(instruction.opcode);
      op.op_name = strings.Intern(instruction.op_name);
      op.source = strings.Intern(instruction.source);
      trace.hlo_ops.push_back(op);
    }
  }
  for (const Plane& plane : space.planes) {
    if (ParsePlaneName(plane.name).type != PlaneType::kTpu) continue;
    for (const EventMetadata& metadata : plane.events) {
      const HloOp op = FromTpuMetadata(plane, metadata, strings);
      if (op.name != kEmptyString) trace.hlo_ops.push_back(op);
    }
  }
  trace.traits.resize(strings.size());
  const auto key = [&](const HloOp& op) { return std::pair(strings[op.module], strings[op.name]); };
  std::ranges::stable_sort(trace.hlo_ops, {}, key);
  const auto repeated = std::ranges::unique(trace.hlo_ops, {}, key);
  trace.hlo_ops.erase(repeated.begin(), repeated.end());
}

}  // namespace stepscope::xplane
