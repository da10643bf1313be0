#include "read/xplane/hlo_cost.h"

#include <gtest/gtest.h>

#include <string>

#include "base/testing/data.h"
#include "io/byte_source.h"
#include "read/protobuf/wire_writer.h"
#include "read/xplane/hlo_proto.h"
#include "read/xplane/xplane_fields.h"

namespace stepscope::xplane {
namespace {

const HloInstruction* Find(const std::vector<HloModule>& modules, std::string_view module,
                           std::string_view name) {
  for (const HloModule& known : modules) {
    if (known.name != module) continue;
    for (const HloInstruction& instruction : known.instructions) {
      if (instruction.name == name) return &instruction;
    }
  }
  return nullptr;
}

std::vector<HloModule> ModulesIn(const FileBytes& file) {
  Diagnostics diagnostics;
  const Space space = ReadSpace({file.bytes().data(), file.bytes().size()}, diagnostics);
  return ModulesOf(space);
}

// The profiler of a TPU writes XLA's own figures beside the modules: ours must be the same.
TEST(HloCostAcceptance, AgreesWithXlasOwnFiguresOnATpu) {
  const Result<FileBytes> file = ReadWhole(AcceptanceData("xprof/tpu_inference_2_old.xplane.pb"));
  ASSERT_TRUE(file);
  const std::vector<HloModule> modules = ModulesIn(*file);
  constexpr int64_t kElements = int64_t{5} * 1024 * 1024 * 256;  // f32[5,1024,1024,256]
  constexpr int64_t kScalar = 4;  // a constant in scalar memory, which XLA does not count there
  for (const auto& [module, name] : {std::pair{"jit_f", "broadcast_add_fusion"},
                                     {"jit_f", "broadcast_add_fusion.1"},
                                     {"jit__psum", "all-reduce"}}) {
    const HloInstruction* instruction = Find(modules, module, name);
    ASSERT_NE(instruction, nullptr) << name;
    EXPECT_EQ(instruction->cost.flops, kElements) << name;
    EXPECT_NEAR(instruction->cost.bytes, 2 * 4 * kElements, kScalar) << name;
  }
}

// 2048 rows through layers of 4096 × 4096 in bf16: 2 · 2048 · 4096 · 4096 flops.
TEST(HloCost, MatrixProductsInsideFusions) {
  const Result<FileBytes> file = ReadWhole(TestData("h200/jax_mlp.xplane.pb.zst"));
  ASSERT_TRUE(file);
  const std::vector<HloModule> modules = ModulesIn(*file);
  const HloInstruction* product = Find(modules, "jit_step", "gemm_fusion_dot_general.26");
  ASSERT_NE(product, nullptr);
  EXPECT_EQ(product->cost.flops, int64_t{2} * 2048 * 4096 * 4096);
  EXPECT_EQ(product->cost.bytes, 2 * (2 * 2048 * 4096 + 4096 * 4096));
}

std::string Message(std::initializer_list<std::pair<uint32_t, std::string>> fields) {
  std::string bytes;
  for (const auto& [field, value] : fields) WireWriter(bytes).Bytes(field, value);
  return bytes;
}

std::string ShapeOf(std::initializer_list<int64_t> dimensions) {
  std::string bytes;
  WireWriter w(bytes);
  w.Varint(hlo_field::kElementType, 11);  // F32
  for (const int64_t size : dimensions) w.Signed(hlo_field::kDimensions, size);
  return bytes;
}

std::string Instruction(int64_t id, std::string_view opcode, const std::string& shape,
                        std::initializer_list<int64_t> operands = {}) {
  std::string bytes;
  WireWriter w(bytes);
  w.Bytes(hlo_field::kOpcode, opcode);
  w.Bytes(hlo_field::kShape, shape);
  w.Signed(hlo_field::kInstructionId, id);
  for (const int64_t operand : operands) w.Signed(hlo_field::kOperandIds, operand);
  return bytes;
}

TEST(HloCost, CustomCallsReductionsAndFunctions) {
  std::string product = Instruction(3, "custom-call", ShapeOf({8, 16}), {1, 2});
  WireWriter w(product);
  w.Bytes(hlo_field::kCustomCallTarget, "__cublas$gemm");
  w.Bytes(
      hlo_field::kBackendConfig,
      R"({"gemm_backend_config":{"dot_dimension_numbers":{"lhs_contracting_dimensions":["1"]}}})");
  const std::string computation =
      Message({{hlo_field::kInstructions, Instruction(1, "parameter", ShapeOf({8, 32}))},
               {hlo_field::kInstructions, Instruction(2, "parameter", ShapeOf({32, 16}))},
               {hlo_field::kInstructions, product},
               {hlo_field::kInstructions, Instruction(4, "reduce", ShapeOf({8}), {3})},
               {hlo_field::kInstructions, Instruction(5, "exponential", ShapeOf({8}), {4})},
               {hlo_field::kInstructions, Instruction(6, "add", ShapeOf({8}), {4, 5})},
               {hlo_field::kInstructions, Instruction(7, "while", ShapeOf({8}), {6})}});
  auto costs = CostsOf(Message({{hlo_field::kComputations, computation}}));
  EXPECT_EQ(costs[3].flops, 2 * 8 * 16 * 32);
  EXPECT_EQ(costs[3].bytes, 4 * (8 * 32 + 32 * 16 + 8 * 16));
  EXPECT_EQ(costs[4].flops, 8 * 16 - 8);
  EXPECT_EQ(costs[5].flops, 0);
  EXPECT_EQ(costs[6].flops, 8);
  EXPECT_EQ(costs[6].bytes, 3 * 8 * 4);
  EXPECT_EQ(costs[7].flops, -1);
}

TEST(HloCost, DamagedModulesAndBombs) {
  std::string shape = ShapeOf({int64_t{1} << 40, int64_t{1} << 40});  // more than there are
  for (int depth = 0; depth < 5000; ++depth) shape = Message({{hlo_field::kTupleShapes, shape}});
  const std::string huge = Instruction(1, "add", ShapeOf({int64_t{1} << 40, int64_t{1} << 40}));
  const std::string module = Message(
      {{hlo_field::kComputations, Message({{hlo_field::kInstructions, Instruction(2, "add", shape)},
                                           {hlo_field::kInstructions, huge}})}});
  auto costs = CostsOf(module);
  EXPECT_EQ(costs[1].flops, -1);
  EXPECT_EQ(costs[1].bytes, -1);
  for (size_t size = 0; size < module.size(); size += 97) CostsOf(module.substr(0, size));
}

}  // namespace
}  // namespace stepscope::xplane
