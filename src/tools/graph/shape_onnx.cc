// Rules for ONNX's ops: same names, other conventions. Channels come second, axes are attributes.
#include <algorithm>
#include <array>
#include <string_view>

#include "tools/graph/shape_context.h"

namespace stepscope::shapes {
namespace {

constexpr std::array kUnary{
    std::string_view("Abs"),         std::string_view("BatchNormalization"),
    std::string_view("Cast"),        std::string_view("Ceil"),
    std::string_view("Clip"),        std::string_view("Cos"),
    std::string_view("Dropout"),     std::string_view("Elu"),
    std::string_view("Erf"),         std::string_view("Exp"),
    std::string_view("Floor"),       std::string_view("Gelu"),
    std::string_view("HardSigmoid"), std::string_view("HardSwish"),
    std::string_view("Identity"),    std::string_view("InstanceNormalization"),
    std::string_view("LRN"),         std::string_view("LayerNormalization"),
    std::string_view("LeakyRelu"),   std::string_view("Log"),
    std::string_view("LogSoftmax"),  std::string_view("Neg"),
    std::string_view("Not"),         std::string_view("PRelu"),
    std::string_view("Reciprocal"),  std::string_view("Relu"),
    std::string_view("Round"),       std::string_view("Selu"),
    std::string_view("Sigmoid"),     std::string_view("Sign"),
    std::string_view("Sin"),         std::string_view("Softmax"),
    std::string_view("Softplus"),    std::string_view("Sqrt"),
    std::string_view("Tanh")};
static_assert(std::is_sorted(kUnary.begin(), kUnary.end()));

constexpr std::array kBinary{
    std::string_view("Add"),   std::string_view("And"),         std::string_view("Div"),
    std::string_view("Equal"), std::string_view("Greater"),     std::string_view("GreaterOrEqual"),
    std::string_view("Less"),  std::string_view("LessOrEqual"), std::string_view("Max"),
    std::string_view("Min"),   std::string_view("Mod"),         std::string_view("Mul"),
    std::string_view("Or"),    std::string_view("Pow"),         std::string_view("Sub"),
    std::string_view("Sum"),   std::string_view("Xor")};
static_assert(std::is_sorted(kBinary.begin(), kBinary.end()));

constexpr std::array kReductions{
    std::string_view("ReduceL1"),  std::string_view("ReduceL2"),
    std::string_view("ReduceMax"), std::string_view("ReduceMean"),
    std::string_view("ReduceMin"), std::string_view("ReduceProd"),
    std::string_view("ReduceSum"), std::string_view("ReduceSumSquare")};

int64_t At(const std::optional<std::vector<int64_t>>& list, size_t index, int64_t otherwise) {
  return list && index < list->size() ? (*list)[index] : otherwise;
}

// Output lengths of a convolution or pool over all spatial dimensions.
void Spatial(const NodeDef& def, const TensorShape& input, const std::vector<int64_t>& kernel,
             TensorShape& out) {
  const auto strides = def.Integers("strides");
  const auto dilations = def.Integers("dilations");
  const auto pads = def.Integers("pads");
  const std::string_view automatic = def.Bytes("auto_pad").value_or("NOTSET");
  const bool ceil = def.Integer("ceil_mode").value_or(0) != 0;
  const size_t spatial = input.dims.size() - 2;
  for (size_t i = 0; i < spatial; ++i) {
    const int64_t size = input.dims[i + 2];
    const int64_t window = i < kernel.size() ? kernel[i] : kUnknown;
    const int64_t stride = At(strides, i, 1);
    if (size == kUnknown || window == kUnknown || stride <= 0) continue;
    const int64_t reach = (window - 1) * At(dilations, i, 1) + 1;
    if (automatic == "SAME_UPPER" || automatic == "SAME_LOWER") {
      out.dims[i + 2] = (size + stride - 1) / stride;
      continue;
    }
    const int64_t padded = size + At(pads, i, 0) + At(pads, i + spatial, 0) - reach;
    if (padded < 0) continue;
    out.dims[i + 2] = (padded + (ceil ? stride - 1 : 0)) / stride + 1;
  }
}

TensorShape Convolution(const Context& context, uint32_t node) {
  const TensorShape input = context.Input(node, 0);
  const TensorShape filter = context.Input(node, 1);
  if (input.unknown_rank || input.dims.size() < 3) return UnknownRank();
  TensorShape out = OfRank(input.dims.size());
  out.dims[0] = input.dims[0];
  if (filter.unknown_rank || filter.dims.size() != input.dims.size()) return out;
  out.dims[1] = filter.dims[0];
  Spatial(context.node(node), input, {filter.dims.begin() + 2, filter.dims.end()}, out);
  return out;
}

TensorShape Pool(const Context& context, uint32_t node) {
  const TensorShape input = context.Input(node, 0);
  const auto kernel = context.node(node).Integers("kernel_shape");
  if (input.unknown_rank || input.dims.size() < 3 || !kernel) return UnknownRank();
  TensorShape out = OfRank(input.dims.size());
  out.dims[0] = input.dims[0];
  out.dims[1] = input.dims[1];
  Spatial(context.node(node), input, *kernel, out);
  return out;
}

TensorShape GlobalPool(TensorShape shape) {
  for (size_t i = 2; i < shape.dims.size(); ++i) shape.dims[i] = 1;
  return shape;
}

TensorShape Gemm(const Context& context, uint32_t node) {
  const NodeDef& def = context.node(node);
  const TensorShape a = context.Input(node, 0);
  const TensorShape b = context.Input(node, 1);
  TensorShape out = OfRank(2);
  if (!a.unknown_rank && a.dims.size() == 2) {
    out.dims[0] = a.dims[def.Integer("transA").value_or(0) != 0 ? 1 : 0];
  }
  if (!b.unknown_rank && b.dims.size() == 2) {
    out.dims[1] = b.dims[def.Integer("transB").value_or(0) != 0 ? 0 : 1];
  }
  return out;
}

TensorShape MatMul(const TensorShape& a, const TensorShape& b) {
  if (a.unknown_rank || b.unknown_rank || a.dims.size() < 2 || b.dims.size() < 2) {
    return UnknownRank();
  }
  TensorShape out = Broadcast({{a.dims.begin(), a.dims.end() - 2}, false},
                              {{b.dims.begin(), b.dims.end() - 2}, false});
  out.dims.push_back(a.dims[a.dims.size() - 2]);
  out.dims.push_back(b.dims.back());
  return out;
}

std::optional<int64_t> Product(std::vector<int64_t>::const_iterator first,
                               std::vector<int64_t>::const_iterator last) {
  return TensorShape{{first, last}, false}.elements();
}

TensorShape Flatten(const Context& context, uint32_t node) {
  const TensorShape input = context.Input(node, 0);
  if (input.unknown_rank) return OfRank(2);
  const int64_t axis = context.node(node).Integer("axis").value_or(1);
  const auto rank = static_cast<int64_t>(input.dims.size());
  const int64_t at = axis < 0 ? axis + rank : axis;
  if (at < 0 || at > rank) return OfRank(2);
  const auto middle = input.dims.begin() + at;
  return {{Product(input.dims.begin(), middle).value_or(kUnknown),
           Product(middle, input.dims.end()).value_or(kUnknown)},
          false};
}

TensorShape Reshape(const Context& context, uint32_t node) {
  const TensorShape input = context.Input(node, 0);
  const std::optional<Values> target = context.InputValues(node, 1);
  if (!target) return context.InputAsShape(node, 1);
  TensorShape out{target->elements, false};
  const bool keeps_zero = context.node(node).Integer("allowzero").value_or(0) != 0;
  for (size_t i = 0; i < out.dims.size(); ++i) {
    if (out.dims[i] != 0 || keeps_zero) continue;
    out.dims[i] = input.unknown_rank || i >= input.dims.size() ? kUnknown : input.dims[i];
  }
  const auto holes = std::count(out.dims.begin(), out.dims.end(), kUnknown);
  const std::optional<int64_t> elements = input.elements();
  if (holes != 1 || !elements) return out;
  int64_t rest = 1;
  for (const int64_t dim : out.dims) {
    if (dim != kUnknown && __builtin_mul_overflow(rest, dim, &rest)) return out;
  }
  if (rest > 0 && *elements % rest == 0) {
    std::replace(out.dims.begin(), out.dims.end(), kUnknown, *elements / rest);
  }
  return out;
}

TensorShape Transpose(const Context& context, uint32_t node) {
  const TensorShape input = context.Input(node, 0);
  if (input.unknown_rank) return UnknownRank();
  const auto order = context.node(node).Integers("perm");
  TensorShape out;
  for (size_t i = 0; i < input.dims.size(); ++i) {
    const std::optional<size_t> at =
        order ? (i < order->size() ? AxisOf((*order)[i], input.dims.size()) : std::nullopt)
              : std::optional(input.dims.size() - 1 - i);
    if (!at) return UnknownRank();
    out.dims.push_back(input.dims[*at]);
  }
  return out;
}

TensorShape Concat(const Context& context, uint32_t node) {
  TensorShape out = context.Input(node, 0);
  if (out.unknown_rank) return out;
  const std::optional<size_t> at =
      AxisOf(context.node(node).Integer("axis").value_or(0), out.dims.size());
  if (!at) return UnknownRank();
  for (size_t i = 1; i < context.InputCount(node); ++i) {
    const TensorShape part = context.Input(node, i);
    if (part.unknown_rank || part.dims.size() != out.dims.size()) return UnknownRank();
    const bool known = out.dims[*at] != kUnknown && part.dims[*at] != kUnknown;
    const int64_t sum = known ? out.dims[*at] + part.dims[*at] : kUnknown;
    out = MergeShapes(out, part);
    out.dims[*at] = sum;
  }
  return out;
}

// Axes as an input (since opset 13) or as an attribute.
std::optional<std::vector<int64_t>> AxesOf(const Context& context, uint32_t node) {
  if (context.InputCount(node) > 1) {
    const std::optional<Values> values = context.InputValues(node, 1);
    return values ? std::optional(values->elements) : std::nullopt;
  }
  return context.node(node).Integers("axes").value_or(std::vector<int64_t>{});
}

TensorShape Squeeze(const Context& context, uint32_t node) {
  const TensorShape input = context.Input(node, 0);
  const auto axes = AxesOf(context, node);
  if (input.unknown_rank || !axes || axes->empty()) return UnknownRank();
  return WithoutAxes(input, *axes, false);
}

TensorShape Unsqueeze(const Context& context, uint32_t node) {
  const TensorShape input = context.Input(node, 0);
  const auto axes = AxesOf(context, node);
  if (input.unknown_rank || !axes) return UnknownRank();
  const size_t rank = input.dims.size() + axes->size();
  std::vector<bool> added(rank);
  for (const int64_t axis : *axes) {
    const std::optional<size_t> at = AxisOf(axis, rank);
    if (!at || added[*at]) return UnknownRank();
    added[*at] = true;
  }
  TensorShape out;
  size_t next = 0;
  for (size_t i = 0; i < rank; ++i) out.dims.push_back(added[i] ? 1 : input.dims[next++]);
  return out;
}

TensorShape Reduce(const Context& context, uint32_t node) {
  const TensorShape input = context.Input(node, 0);
  const auto axes = AxesOf(context, node);
  if (input.unknown_rank || !axes) return UnknownRank();
  const bool keep = context.node(node).Integer("keepdims").value_or(1) != 0;
  if (!axes->empty()) return WithoutAxes(input, *axes, keep);
  return {std::vector<int64_t>(keep ? input.dims.size() : 0, 1), false};
}

TensorShape Gather(const Context& context, uint32_t node) {
  TensorShape source = context.Input(node, 0);
  const TensorShape indices = context.Input(node, 1);
  if (source.unknown_rank || indices.unknown_rank) return UnknownRank();
  const std::optional<size_t> at =
      AxisOf(context.node(node).Integer("axis").value_or(0), source.dims.size());
  if (!at) return UnknownRank();
  const auto after = source.dims.erase(source.dims.begin() + static_cast<ptrdiff_t>(*at));
  source.dims.insert(after, indices.dims.begin(), indices.dims.end());
  return source;
}

}  // namespace

Outputs InferOnnx(const Context& context, uint32_t node) {
  const NodeDef& def = context.node(node);
  const std::string_view op = def.op;
  const auto one = [](TensorShape shape) { return Outputs({std::move(shape)}); };
  if (op == "Initializer" || op == "Placeholder") {
    return one(def.Shape("shape").value_or(UnknownRank()));
  }
  if (op == "Constant") {
    const std::optional<TensorConstant> tensor = def.Tensor("value");
    return one(tensor ? tensor->shape : UnknownRank());
  }
  if (std::binary_search(kUnary.begin(), kUnary.end(), op)) return one(context.Input(node, 0));
  if (std::binary_search(kBinary.begin(), kBinary.end(), op)) {
    TensorShape shape = context.Input(node, 0);
    for (size_t i = 1; i < context.InputCount(node); ++i) {
      shape = Broadcast(shape, context.Input(node, i));
    }
    return one(shape);
  }
  if (std::binary_search(kReductions.begin(), kReductions.end(), op)) {
    return one(Reduce(context, node));
  }
  if (op == "Conv") return one(Convolution(context, node));
  if (op == "MaxPool" || op == "AveragePool") return one(Pool(context, node));
  if (op == "GlobalAveragePool" || op == "GlobalMaxPool") {
    return one(GlobalPool(context.Input(node, 0)));
  }
  if (op == "Gemm") return one(Gemm(context, node));
  if (op == "MatMul") return one(MatMul(context.Input(node, 0), context.Input(node, 1)));
  if (op == "Flatten") return one(Flatten(context, node));
  if (op == "Reshape") return one(Reshape(context, node));
  if (op == "Transpose") return one(Transpose(context, node));
  if (op == "Concat") return one(Concat(context, node));
  if (op == "Squeeze") return one(Squeeze(context, node));
  if (op == "Unsqueeze") return one(Unsqueeze(context, node));
  if (op == "Gather") return one(Gather(context, node));
  if (op == "Shape") {
    const TensorShape input = context.Input(node, 0);
    return one({{input.unknown_rank ? kUnknown : static_cast<int64_t>(input.dims.size())}, false});
  }
  return std::nullopt;
}

}  // namespace stepscope::shapes
