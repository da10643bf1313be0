// Shape rules for elementwise ops, reductions and matrix products.
#include <algorithm>
#include <array>
#include <string_view>

#include "tools/graph/shape_context.h"

namespace stepscope::shapes {
namespace {

// Sorted, for binary search.
constexpr std::array kUnary{std::string_view("Abs"),           std::string_view("Acos"),
                            std::string_view("Asin"),          std::string_view("Atan"),
                            std::string_view("Cast"),          std::string_view("Ceil"),
                            std::string_view("CheckNumerics"), std::string_view("CheckNumericsV2"),
                            std::string_view("ClipByValue"),   std::string_view("Cos"),
                            std::string_view("Cumprod"),       std::string_view("Cumsum"),
                            std::string_view("DebugIdentity"), std::string_view("Digamma"),
                            std::string_view("Elu"),           std::string_view("EluGrad"),
                            std::string_view("Enter"),         std::string_view("Erf"),
                            std::string_view("Erfc"),          std::string_view("Exit"),
                            std::string_view("Exp"),           std::string_view("Expm1"),
                            std::string_view("Floor"),         std::string_view("Identity"),
                            std::string_view("Inv"),           std::string_view("InvGrad"),
                            std::string_view("IsFinite"),      std::string_view("IsInf"),
                            std::string_view("IsNan"),         std::string_view("LeakyRelu"),
                            std::string_view("Lgamma"),        std::string_view("Log"),
                            std::string_view("Log1p"),         std::string_view("LogSoftmax"),
                            std::string_view("LogicalNot"),    std::string_view("LoopCond"),
                            std::string_view("Neg"),           std::string_view("NextIteration"),
                            std::string_view("OnesLike"),      std::string_view("PreventGradient"),
                            std::string_view("Reciprocal"),    std::string_view("ReciprocalGrad"),
                            std::string_view("RefEnter"),      std::string_view("RefExit"),
                            std::string_view("RefIdentity"),   std::string_view("RefNextIteration"),
                            std::string_view("Relu"),          std::string_view("Relu6"),
                            std::string_view("Reverse"),       std::string_view("ReverseV2"),
                            std::string_view("Rint"),          std::string_view("Roll"),
                            std::string_view("Round"),         std::string_view("Rsqrt"),
                            std::string_view("RsqrtGrad"),     std::string_view("Selu"),
                            std::string_view("Sigmoid"),       std::string_view("SigmoidGrad"),
                            std::string_view("Sign"),          std::string_view("Sin"),
                            std::string_view("Softmax"),       std::string_view("Softplus"),
                            std::string_view("Softsign"),      std::string_view("Sqrt"),
                            std::string_view("SqrtGrad"),      std::string_view("Square"),
                            std::string_view("StopGradient"),  std::string_view("Tan"),
                            std::string_view("Tanh"),          std::string_view("TanhGrad"),
                            std::string_view("ZerosLike")};
static_assert(std::is_sorted(kUnary.begin(), kUnary.end()));

constexpr std::array kBinary{std::string_view("Add"),
                             std::string_view("AddV2"),
                             std::string_view("Atan2"),
                             std::string_view("BitwiseAnd"),
                             std::string_view("BitwiseOr"),
                             std::string_view("Div"),
                             std::string_view("DivNoNan"),
                             std::string_view("Equal"),
                             std::string_view("FloorDiv"),
                             std::string_view("FloorMod"),
                             std::string_view("Greater"),
                             std::string_view("GreaterEqual"),
                             std::string_view("Less"),
                             std::string_view("LessEqual"),
                             std::string_view("LogicalAnd"),
                             std::string_view("LogicalOr"),
                             std::string_view("Maximum"),
                             std::string_view("Minimum"),
                             std::string_view("Mod"),
                             std::string_view("Mul"),
                             std::string_view("MulNoNan"),
                             std::string_view("NotEqual"),
                             std::string_view("Pow"),
                             std::string_view("RealDiv"),
                             std::string_view("SquaredDifference"),
                             std::string_view("Sub"),
                             std::string_view("TruncateDiv"),
                             std::string_view("TruncateMod"),
                             std::string_view("Xdivy"),
                             std::string_view("Xlogy")};
static_assert(std::is_sorted(kBinary.begin(), kBinary.end()));

constexpr std::array kReductions{std::string_view("All"),           std::string_view("Any"),
                                 std::string_view("EuclideanNorm"), std::string_view("Max"),
                                 std::string_view("Mean"),          std::string_view("Min"),
                                 std::string_view("Prod"),          std::string_view("Sum")};
static_assert(std::is_sorted(kReductions.begin(), kReductions.end()));

template <typename Names>
bool Among(const Names& names, std::string_view op) {
  return std::binary_search(names.begin(), names.end(), op);
}

TensorShape Reduce(const Context& context, uint32_t node) {
  const TensorShape input = context.Input(node, 0);
  const bool keep = context.node(node).Bool("keep_dims").value_or(false);
  const std::optional<Values> axes = context.InputValues(node, 1);
  if (input.unknown_rank) return UnknownRank();
  if (!axes || !axes->known()) return keep ? OfRank(input.dims.size()) : UnknownRank();
  return WithoutAxes(input, axes->elements, keep);
}

TensorShape MatMul(const Context& context, uint32_t node) {
  const NodeDef& def = context.node(node);
  const TensorShape a = context.Input(node, 0);
  const TensorShape b = context.Input(node, 1);
  const bool ta = def.Bool("transpose_a").value_or(false);
  const bool tb = def.Bool("transpose_b").value_or(false);
  TensorShape out = OfRank(2);
  if (!a.unknown_rank && a.dims.size() == 2) out.dims[0] = a.dims[ta ? 1 : 0];
  if (!b.unknown_rank && b.dims.size() == 2) out.dims[1] = b.dims[tb ? 0 : 1];
  return out;
}

TensorShape BatchMatMul(const Context& context, uint32_t node) {
  const NodeDef& def = context.node(node);
  const TensorShape a = context.Input(node, 0);
  const TensorShape b = context.Input(node, 1);
  if (a.unknown_rank || b.unknown_rank || a.dims.size() < 2 || b.dims.size() < 2) {
    return UnknownRank();
  }
  const bool ta = def.Bool("adj_x").value_or(false);
  const bool tb = def.Bool("adj_y").value_or(false);
  const TensorShape batch_a{{a.dims.begin(), a.dims.end() - 2}, false};
  const TensorShape batch_b{{b.dims.begin(), b.dims.end() - 2}, false};
  TensorShape out = Broadcast(batch_a, batch_b);
  out.dims.push_back(a.dims[a.dims.size() - (ta ? 1 : 2)]);
  out.dims.push_back(b.dims[b.dims.size() - (tb ? 2 : 1)]);
  return out;
}

TensorShape ArgExtreme(const Context& context, uint32_t node) {
  TensorShape shape = context.Input(node, 0);
  const std::optional<Values> axis = context.InputValues(node, 1);
  if (shape.unknown_rank) return UnknownRank();
  if (!axis || axis->elements.size() != 1) {
    return shape.dims.empty() ? shape : OfRank(shape.dims.size() - 1);
  }
  const std::optional<size_t> at = AxisOf(axis->elements[0], shape.dims.size());
  if (!at) return UnknownRank();
  shape.dims.erase(shape.dims.begin() + static_cast<ptrdiff_t>(*at));
  return shape;
}

TensorShape MergeAll(const Context& context, uint32_t node) {
  TensorShape merged = UnknownRank();
  for (size_t i = 0; i < context.InputCount(node); ++i) {
    merged = MergeShapes(merged, context.Input(node, i));
  }
  return merged;
}

}  // namespace

Outputs InferElementwise(const Context& context, uint32_t node) {
  const std::string_view op = context.node(node).op;
  const auto one = [](TensorShape shape) { return Outputs({std::move(shape)}); };
  if (Among(kUnary, op)) return one(context.Input(node, 0));
  if (Among(kBinary, op)) return one(Broadcast(context.Input(node, 0), context.Input(node, 1)));
  if (Among(kReductions, op)) return one(Reduce(context, node));
  if (op == "ReluGrad" || op == "Relu6Grad" || op == "SoftplusGrad" || op == "SoftsignGrad") {
    return one(MergeShapes(context.Input(node, 0), context.Input(node, 1)));
  }
  if (op == "AddN") return one(MergeAll(context, node));
  if (op == "MatMul") return one(MatMul(context, node));
  if (op == "BatchMatMul" || op == "BatchMatMulV2" || op == "BatchMatMulV3") {
    return one(BatchMatMul(context, node));
  }
  if (op == "ArgMax" || op == "ArgMin") return one(ArgExtreme(context, node));
  if (op == "L2Loss") return one(Scalar());
  if (op == "Select") return one(MergeShapes(context.Input(node, 1), context.Input(node, 2)));
  if (op == "SelectV2") {
    return one(Broadcast(context.Input(node, 0),
                         Broadcast(context.Input(node, 1), context.Input(node, 2))));
  }
  return std::nullopt;
}

}  // namespace stepscope::shapes
