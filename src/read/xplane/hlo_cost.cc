#include "read/xplane/hlo_cost.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <span>
#include <vector>

#include "read/protobuf/packed.h"
#include "read/xplane/xplane_fields.h"

namespace stepscope::xplane {
namespace {

constexpr int64_t kUnknown = -1;

// kUnknown if a factor is unknown or the product leaves the range.
int64_t Product(int64_t a, int64_t b) {
  int64_t product = 0;
  if (a < 0 || b < 0 || __builtin_mul_overflow(a, b, &product)) return kUnknown;
  return product;
}
int64_t Sum(int64_t a, int64_t b) {
  int64_t sum = 0;
  if (a < 0 || b < 0 || __builtin_add_overflow(a, b, &sum)) return kUnknown;
  return sum;
}

// Bits of an element by XLA's number of its type; 0: has no size (tokens, opaque).
int64_t BitsOf(uint64_t type) {
  constexpr auto kBits = std::to_array<int16_t>(
      {0, 8,   8, 16, 32, 64, 8, 16, 32, 64, 16, 32, 64, 0, 0, 64, 16,  // PRED … BF16
       0, 128, 8, 8,  4,  4,  8, 8,  8,  2,  2,  8,  8,  1, 1, 4,  8});
  return type < kBits.size() ? kBits[type] : 0;
}

struct Shape {
  std::vector<int64_t> dimensions;
  int64_t elements = 1;  // of an array; of the first part of a tuple
  int64_t bytes = 0;     // of all parts
};

Shape ReadShape(std::string_view bytes, int depth = 0) {
  constexpr int kDeepest = 16;
  Shape shape;
  uint64_t type = 0;
  bool tuple = false;
  for (WireReader r(bytes); r.Next();) {
    if (r.field() == hlo_field::kElementType) type = r.Unsigned();
    if (r.field() == hlo_field::kDimensions) AppendVarints(r, shape.dimensions);
    if (r.field() == hlo_field::kTupleShapes && depth < kDeepest) {
      const Shape part = ReadShape(r.Bytes(), depth + 1);
      if (!tuple) shape.elements = part.elements;
      if (!tuple) shape.dimensions = part.dimensions;
      shape.bytes = Sum(shape.bytes, part.bytes);
      tuple = true;
    }
  }
  if (tuple) return shape;
  for (const int64_t size : shape.dimensions) shape.elements = Product(shape.elements, size);
  const int64_t bits = Product(shape.elements, BitsOf(type));
  shape.bytes = bits < 0 ? kUnknown : bits / 8 + (bits % 8 != 0 ? 1 : 0);
  return shape;
}

struct Instruction {
  int64_t id = 0;
  std::string_view opcode, target, configuration;
  std::string_view dot, convolution;  // dimension numbers
  Shape shape;
  std::vector<int64_t> operands, called;
};

Instruction ReadInstruction(std::string_view bytes) {
  Instruction instruction;
  for (WireReader r(bytes); r.Next();) {
    switch (r.field()) {
      case hlo_field::kOpcode:
        instruction.opcode = r.Bytes();
        break;
      case hlo_field::kShape:
        instruction.shape = ReadShape(r.Bytes());
        break;
      case hlo_field::kConvolutionDimensions:
        instruction.convolution = r.Bytes();
        break;
      case hlo_field::kCustomCallTarget:
        instruction.target = r.Bytes();
        break;
      case hlo_field::kDotDimensions:
        instruction.dot = r.Bytes();
        break;
      case hlo_field::kInstructionId:
        instruction.id = r.Signed();
        break;
      case hlo_field::kOperandIds:
        AppendVarints(r, instruction.operands);
        break;
      case hlo_field::kCalledIds:
        AppendVarints(r, instruction.called);
        break;
      case hlo_field::kBackendConfig:
        instruction.configuration = r.Bytes();
        break;
      default:
        break;
    }
  }
  return instruction;
}

bool IsOneOf(std::string_view opcode, std::span<const std::string_view> sorted) {
  return std::ranges::binary_search(sorted, opcode);
}

// One flop an element of the result.
bool IsElementwise(std::string_view opcode) {
  constexpr auto kOpcodes = std::to_array<std::string_view>({"abs",
                                                             "add",
                                                             "all-reduce",
                                                             "all-reduce-start",
                                                             "and",
                                                             "ceil",
                                                             "clamp",
                                                             "compare",
                                                             "convert",
                                                             "divide",
                                                             "floor",
                                                             "is-finite",
                                                             "map",
                                                             "maximum",
                                                             "minimum",
                                                             "multiply",
                                                             "negate",
                                                             "not",
                                                             "or",
                                                             "popcnt",
                                                             "real",
                                                             "reduce-precision",
                                                             "remainder",
                                                             "round-nearest-afz",
                                                             "round-nearest-even",
                                                             "select",
                                                             "shift-left",
                                                             "shift-right-arithmetic",
                                                             "shift-right-logical",
                                                             "sign",
                                                             "subtract",
                                                             "xor"});
  static_assert(std::ranges::is_sorted(kOpcodes));
  return IsOneOf(opcode, kOpcodes);
}

// Its cost is that of its parts, which are recorded separately, or it is unknown.
bool IsOpaque(std::string_view opcode) {
  constexpr auto kOpcodes = std::to_array<std::string_view>(
      {"async-done", "async-start", "async-update", "call", "conditional", "custom-call", "infeed",
       "outfeed", "recv", "recv-done", "send", "send-done", "sort", "while"});
  static_assert(std::ranges::is_sorted(kOpcodes));
  return IsOneOf(opcode, kOpcodes);
}

class CostAnalysis {
 public:
  // Called computations come before their callers.
  void Add(std::string_view computation) {
    int64_t id = 0;
    std::vector<Instruction> instructions;
    for (WireReader r(computation); r.Next();) {
      if (r.field() == hlo_field::kInstructions) instructions.push_back(ReadInstruction(r.Bytes()));
      if (r.field() == hlo_field::kComputationId) id = r.Signed();
    }
    for (const Instruction& instruction : instructions) shapes_[instruction.id] = instruction.shape;
    int64_t flops = 0;
    for (const Instruction& instruction : instructions) {
      const HloCost cost{FlopsOf(instruction), BytesOf(instruction)};
      costs_[instruction.id] = cost;
      flops = Sum(flops, cost.flops);
    }
    flops_of_computation_[id] = flops;
  }
  std::unordered_map<int64_t, HloCost> Take() && { return std::move(costs_); }

 private:
  const Shape* OperandOf(const Instruction& instruction, size_t i) const {
    if (i >= instruction.operands.size()) return nullptr;
    const auto at = shapes_.find(instruction.operands[i]);
    return at == shapes_.end() ? nullptr : &at->second;
  }

  int64_t BytesOf(const Instruction& instruction) const {
    if (IsOpaque(instruction.opcode) && instruction.opcode != "custom-call" &&
        instruction.opcode != "sort") {
      return kUnknown;
    }
    int64_t bytes = instruction.shape.bytes;
    for (size_t i = 0; i < instruction.operands.size(); ++i) {
      const Shape* operand = OperandOf(instruction, i);
      bytes = operand == nullptr ? kUnknown : Sum(bytes, operand->bytes);
    }
    return bytes;
  }

  int64_t FlopsOf(const Instruction& instruction) const {
    const std::string_view opcode = instruction.opcode;
    if (opcode == "dot") return FlopsOfDot(instruction, ContractedBy(instruction.dot));
    if (opcode == "convolution") return FlopsOfConvolution(instruction);
    if (opcode == "fusion") return FlopsInside(instruction);
    if (opcode == "reduce") return FlopsOfReduction(instruction);
    if (opcode == "custom-call") return FlopsOfCustomCall(instruction);
    if (IsOpaque(opcode)) return kUnknown;
    return IsElementwise(opcode) ? instruction.shape.elements : 0;
  }

  int64_t FlopsInside(const Instruction& fusion) const {
    int64_t flops = 0;
    for (const int64_t called : fusion.called) {
      const auto at = flops_of_computation_.find(called);
      flops = at == flops_of_computation_.end() ? kUnknown : Sum(flops, at->second);
    }
    return flops;
  }

  int64_t FlopsOfDot(const Instruction& dot, const std::vector<int64_t>& contracted) const {
    const Shape* left = OperandOf(dot, 0);
    if (left == nullptr) return kUnknown;
    int64_t flops = Product(2, dot.shape.elements);
    for (const int64_t dimension : contracted) {
      if (dimension < 0 || static_cast<size_t>(dimension) >= left->dimensions.size()) {
        return kUnknown;
      }
      flops = Product(flops, left->dimensions[static_cast<size_t>(dimension)]);
    }
    return flops;
  }
  static std::vector<int64_t> ContractedBy(std::string_view dimension_numbers) {
    std::vector<int64_t> contracted;
    for (WireReader r(dimension_numbers); r.Next();) {
      if (r.field() == hlo_field::kLeftContracting) AppendVarints(r, contracted);
    }
    return contracted;
  }

  // Each element of the result is a sum over the kernel of its feature; padding counts.
  int64_t FlopsOfConvolution(const Instruction& convolution) const {
    const Shape* kernel = OperandOf(convolution, 1);
    size_t feature = 0;
    for (WireReader r(convolution.convolution); r.Next();) {
      if (r.field() == hlo_field::kKernelOutputFeature) feature = r.Unsigned();
    }
    if (kernel == nullptr || feature >= kernel->dimensions.size()) return kUnknown;
    const int64_t features = kernel->dimensions[feature];
    if (features <= 0 || kernel->elements < 0) return kUnknown;
    return Product(Product(2, convolution.shape.elements), kernel->elements / features);
  }

  int64_t FlopsOfReduction(const Instruction& reduce) const {
    const Shape* input = OperandOf(reduce, 0);
    if (input == nullptr || input->elements < 0 || reduce.shape.elements < 0) return kUnknown;
    return std::max<int64_t>(0, input->elements - reduce.shape.elements);
  }

  int64_t FlopsOfCustomCall(const Instruction& call) const {
    if (call.target.starts_with("__cublas$")) {
      return FlopsOfDot(call, ContractedInText(call.configuration));
    }
    const bool forward =
        call.target == "__cudnn$convForward" || call.target == "__cudnn$convBiasActivationForward";
    return forward ? FlopsOfConvolution(call) : kUnknown;
  }
  // XLA keeps what it tells cuBLAS as JSON: …"lhs_contracting_dimensions":["1"]…
  static std::vector<int64_t> ContractedInText(std::string_view json) {
    constexpr std::string_view kKey = "\"lhs_contracting_dimensions\":[";
    std::vector<int64_t> contracted;
    const size_t at = json.find(kKey);
    if (at == std::string_view::npos) return {kUnknown};
    json.remove_prefix(at + kKey.size());
    json = json.substr(0, json.find(']'));
    for (size_t i = 0; i < json.size(); ++i) {
      int64_t dimension = 0;
      const auto [end, error] =
          std::from_chars(json.data() + i, json.data() + json.size(), dimension);
      if (error != std::errc()) continue;
      contracted.push_back(dimension);
      i = static_cast<size_t>(end - json.data());
    }
    return contracted;
  }

  std::unordered_map<int64_t, Shape> shapes_;
  std::unordered_map<int64_t, int64_t> flops_of_computation_;
  std::unordered_map<int64_t, HloCost> costs_;
};

}  // namespace

std::unordered_map<int64_t, HloCost> CostsOf(std::string_view module) {
  CostAnalysis analysis;
  for (WireReader r(module); r.Next();) {
    if (r.field() == hlo_field::kComputations) analysis.Add(r.Bytes());
  }
  return std::move(analysis).Take();
}

}  // namespace stepscope::xplane
