#include "read/xplane/hlo_proto.h"

#include <fmt/format.h>

#include <algorithm>

#include "read/protobuf/walk.h"
#include "read/protobuf/wire.h"
#include "read/xplane/xplane_fields.h"

namespace stepscope::xplane {
namespace {

// Call stacks of a module: frames name a location, locations a file and a line.
struct StackFrames {
  struct Location {
    uint64_t file = 0;
    int64_t line = 0;
  };
  std::vector<std::string_view> files;
  std::vector<Location> locations;
  std::vector<uint64_t> frames;  // their location; all numbers count from 1

  std::string Source(uint64_t frame) const {
    if (frame == 0 || frame > frames.size()) return {};
    const uint64_t location = frames[frame - 1];
    if (location == 0 || location > locations.size()) return {};
    const Location& at = locations[location - 1];
    if (at.file == 0 || at.file > files.size()) return {};
    return fmt::format("{}:{}", files[at.file - 1], at.line);
  }
};

StackFrames ReadStackFrames(std::string_view bytes) {
  StackFrames stack;
  for (WireReader r(bytes); r.Next();) {
    if (r.field() == hlo_field::kFileNames) stack.files.push_back(r.Bytes());
    if (r.field() == hlo_field::kFileLocations) {
      auto& location = stack.locations.emplace_back();
      for (WireReader l(r.Bytes()); l.Next();) {
        if (l.field() == hlo_field::kLocationFile) location.file = l.Unsigned();
        if (l.field() == hlo_field::kLocationLine) location.line = l.Signed();
      }
    }
    if (r.field() == hlo_field::kStackFrames) {
      stack.frames.push_back(0);
      for (WireReader f(r.Bytes()); f.Next();) {
        if (f.field() == hlo_field::kFrameLocation) stack.frames.back() = f.Unsigned();
      }
    }
  }
  return stack;
}

void ReadOpMetadata(std::string_view bytes, const StackFrames& stack, HloInstruction& into) {
  std::string_view file;
  int64_t line = 0;
  uint64_t frame = 0;
  for (WireReader r(bytes); r.Next();) {
    if (r.field() == hlo_field::kOpName) into.op_name = r.Bytes();
    if (r.field() == hlo_field::kSourceFile) file = r.Bytes();
    if (r.field() == hlo_field::kSourceLine) line = r.Signed();
    if (r.field() == hlo_field::kStackFrameId) frame = r.Unsigned();
  }
  into.source = file.empty() ? stack.Source(frame) : fmt::format("{}:{}", file, line);
}

using Costs = std::unordered_map<int64_t, HloCost>;

HloInstruction ReadInstruction(std::string_view bytes, const StackFrames& stack,
                               const Costs& costs) {
  HloInstruction instruction;
  for (WireReader r(bytes); r.Next();) {
    if (r.field() == hlo_field::kInstructionName) instruction.name = r.Bytes();
    if (r.field() == hlo_field::kOpcode) instruction.opcode = r.Bytes();
    if (r.field() == hlo_field::kMetadata) ReadOpMetadata(r.Bytes(), stack, instruction);
    if (r.field() == hlo_field::kInstructionId) instruction.id = r.Signed();
    if (r.field() == hlo_field::kChannelId) instruction.channel = r.Signed();
    if (r.field() == hlo_field::kOperandIds) AppendIntegers(r, instruction.operands);
  }
  if (const auto cost = costs.find(instruction.id); cost != costs.end())
    instruction.cost = cost->second;
  return instruction;
}

std::string_view FieldOf(std::string_view bytes, uint32_t field) {
  std::string_view found;
  for (WireReader r(bytes); r.Next();) {
    if (r.field() == field) found = r.Bytes();
  }
  return found;
}

}  // namespace

HloModule ReadHloProto(std::string_view bytes) {
  const std::string_view module_bytes = FieldOf(bytes, hlo_field::kModule);
  const StackFrames stack = ReadStackFrames(FieldOf(module_bytes, hlo_field::kStackFrameIndex));
  const Costs costs = CostsOf(module_bytes);
  HloModule module;
  uint32_t computation = 0;
  for (WireReader r(module_bytes); r.Next();) {
    if (r.field() == hlo_field::kModuleName) module.name = r.Bytes();
    if (r.field() != hlo_field::kComputations) continue;
    for (WireReader c(r.Bytes()); c.Next();) {
      if (c.field() == hlo_field::kInstructions) {
        module.instructions.push_back(ReadInstruction(c.Bytes(), stack, costs));
        module.instructions.back().computation = computation;
      }
    }
    ++computation;
  }
  return module;
}

std::vector<HloModule> ModulesOf(const Space& space) {
  std::vector<HloModule> modules;
  for (const Plane& plane : space.planes) {
    if (plane.name != "/host:metadata") continue;
    for (const EventMetadata& metadata : plane.events) {
      plane.ForEachStat(metadata.stats, [&](std::string_view name, const StatValue& value) {
        if (name == "Hlo Proto" || name == "hlo_proto") {
          modules.push_back(ReadHloProto(value.text));
          modules.back().program = metadata.id;
        }
      });
    }
  }
  return modules;
}

std::string KernelNameOf(std::string_view instruction) {
  std::string name(instruction);
  std::ranges::replace_if(
      name,
      [](char c) {
        const bool plain =
            (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9');
        return !plain;
      },
      '_');
  return name;
}

}  // namespace stepscope::xplane
