#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "read/xplane/hlo_cost.h"
#include "read/xplane/space.h"

namespace stepscope::xplane {

// One instruction of a compiled XLA module and where it came from.
struct HloInstruction {
  std::string_view name;          // "loop_add_fusion.1"
  std::string_view opcode;        // "fusion"
  std::string_view op_name;       // "jit(step)/jit(main)/add": the framework's call path
  std::string source;             // "train.py:31"; empty where the module does not say
  int64_t id = 0;                 // within its computation
  std::vector<int64_t> operands;  // ids
  uint32_t computation = 0;       // which of the module's, in file order
  int64_t channel = -1;           // of a collective between devices; -1: none
  HloCost cost;
};

struct HloModule {
  uint64_t program = 0;  // as device events name it (program_id)
  std::string_view name;
  std::vector<HloInstruction> instructions;  // all computations, in file order
};

// Reads a serialized HloProto as far as it is sound.
HloModule ReadHloProto(std::string_view bytes);

// The modules that the profile carries in "/host:metadata", in file order.
std::vector<HloModule> ModulesOf(const Space& space);

// XLA names a kernel after its instruction with every character but letters and digits made "_".
std::string KernelNameOf(std::string_view instruction);

}  // namespace stepscope::xplane
