#include "read/xplane/hlo_ops.h"

#include <algorithm>
#include <array>
#include <tuple>

namespace stepscope::xplane {

bool CostsNothing(std::string_view opcode) {
  constexpr auto kFree = std::to_array<std::string_view>(
      {"parameter", "constant", "tuple", "get-tuple-element", "bitcast", "after-all"});
  return std::ranges::find(kFree, opcode) != kFree.end();
}

namespace {

// What the profile itself says of an instruction on a TPU, as measured for the chip.
HloOp FromTpuMetadata(const Plane& plane, const EventMetadata& metadata,
                      const std::vector<HloModule>& modules, StringTable& strings) {
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
    if (name == "program_id") {
      const auto program = static_cast<uint64_t>(value.Integer(0));
      const auto module = std::ranges::find(modules, program, &HloModule::program);
      if (module != modules.end()) op.module = strings.Intern(module->name);
    }
  });
  if (op.category == kEmptyString) return {};
  op.name = strings.Intern(metadata.display_name.empty() ? metadata.name : metadata.display_name);
  return op;
}

HloOp FromModule(const HloModule& module, const HloInstruction& instruction, StringTable& strings) {
  HloOp op;
  op.module = strings.Intern(module.name);
  op.name = strings.Intern(instruction.name);
  op.category = strings.Intern(instruction.opcode);
  op.op_name = strings.Intern(instruction.op_name);
  op.source = strings.Intern(instruction.source);
  op.flops = instruction.cost.flops;
  op.bytes = instruction.cost.bytes;
  return op;
}

// Fills in what is missing about an instruction from another source.
void Complete(HloOp& op, const HloOp& other) {
  if (op.op_name == kEmptyString) op.op_name = other.op_name;
  if (op.source == kEmptyString) op.source = other.source;
  if (op.flops < 0) op.flops = other.flops;
  if (op.bytes < 0) op.bytes = other.bytes;
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
  std::vector<HloOp> all;  // what devices say first: it counts where the module says otherwise
  for (const Plane& plane : space.planes) {
    if (ParsePlaneName(plane.name).type != PlaneType::kTpu) continue;
    for (const EventMetadata& metadata : plane.events) {
      const HloOp op = FromTpuMetadata(plane, metadata, modules, strings);
      if (op.name != kEmptyString) all.push_back(op);
    }
  }
  for (const HloModule& module : modules) {
    for (const HloInstruction& instruction : module.instructions) {
      if (!CostsNothing(instruction.opcode)) {
        all.push_back(FromModule(module, instruction, strings));
      }
    }
  }
  trace.traits.resize(strings.size());
  const auto key = [&](const HloOp& op) { return std::pair(strings[op.module], strings[op.name]); };
  std::ranges::stable_sort(all, {}, key);
  for (const HloOp& op : all) {
    const bool known = !trace.hlo_ops.empty() && key(trace.hlo_ops.back()) == key(op);
    known ? Complete(trace.hlo_ops.back(), op) : trace.hlo_ops.push_back(op);
  }
}

}  // namespace stepscope::xplane
