// Shape rules for ops that make, cut, join and transpose tensors.
#include <algorithm>

#include "tools/graph/shape_context.h"
#include "tools/graph/strided_slice.h"

namespace stepscope::shapes {
namespace {

TensorShape Reshape(const Context& context, uint32_t node) {
  const TensorShape input = context.Input(node, 0);
  TensorShape out = context.InputAsShape(node, 1);
  if (out.unknown_rank) return out;
  const std::optional<Values> target = context.InputValues(node, 1);
  const auto holes = std::count(out.dims.begin(), out.dims.end(), kUnknown);
  const std::optional<int64_t> elements = input.elements();
  if (!target || holes != 1 || !elements) return out;
  int64_t rest = 1;
  for (const int64_t dim : out.dims) {
    if (dim != kUnknown && __builtin_mul_overflow(rest, dim, &rest)) return out;
  }
  if (rest <= 0 || *elements % rest != 0) return out;
  std::replace(out.dims.begin(), out.dims.end(), kUnknown, *elements / rest);
  return out;
}

TensorShape Transpose(const Context& context, uint32_t node) {
  const TensorShape input = context.Input(node, 0);
  const std::optional<Values> order = context.InputValues(node, 1);
  if (input.unknown_rank) {
    return order ? OfRank(order->elements.size()) : context.InputAsShape(node, 1);
  }
  if (!order || !order->known() || order->elements.size() != input.dims.size()) {
    return OfRank(input.dims.size());
  }
  TensorShape out;
  for (const int64_t axis : order->elements) {
    const std::optional<size_t> at = AxisOf(axis, input.dims.size());
    if (!at) return UnknownRank();
    out.dims.push_back(input.dims[*at]);
  }
  return out;
}

TensorShape ExpandDims(const Context& context, uint32_t node) {
  TensorShape shape = context.Input(node, 0);
  const std::optional<Values> axis = context.InputValues(node, 1);
  if (shape.unknown_rank || !axis || axis->elements.size() != 1) return UnknownRank();
  const std::optional<size_t> at = AxisOf(axis->elements[0], shape.dims.size() + 1);
  if (!at) return UnknownRank();
  shape.dims.insert(shape.dims.begin() + static_cast<ptrdiff_t>(*at), 1);
  return shape;
}

TensorShape Squeeze(const Context& context, uint32_t node) {
  const TensorShape input = context.Input(node, 0);
  if (input.unknown_rank) return UnknownRank();
  const std::vector<int64_t> axes =
      context.node(node).Integers("squeeze_dims").value_or(std::vector<int64_t>{});
  std::vector<bool> gone(input.dims.size());
  for (const int64_t axis : axes) {
    const std::optional<size_t> at = AxisOf(axis, input.dims.size());
    if (!at) return UnknownRank();
    gone[*at] = true;
  }
  TensorShape out;
  for (size_t i = 0; i < input.dims.size(); ++i) {
    // Without axes all dimensions of 1 go, and an unknown dimension may be one of them.
    if (axes.empty() && input.dims[i] == kUnknown) return UnknownRank();
    if (axes.empty() ? input.dims[i] != 1 : !gone[i]) out.dims.push_back(input.dims[i]);
  }
  return out;
}

TensorShape Concat(const Context& context, uint32_t node, size_t axis_input, size_t first,
                   size_t last) {
  const std::optional<Values> axis = context.InputValues(node, axis_input);
  TensorShape out = UnknownRank();
  for (size_t i = first; i < last; ++i) {
    const TensorShape part = context.Input(node, i);
    if (part.unknown_rank) continue;
    if (out.unknown_rank) out = OfRank(part.dims.size());
    if (part.dims.size() != out.dims.size()) return UnknownRank();
  }
  if (out.unknown_rank || !axis || axis->elements.size() != 1) return out;
  const std::optional<size_t> at = AxisOf(axis->elements[0], out.dims.size());
  if (!at) return UnknownRank();
  int64_t sum = 0;
  for (size_t i = first; i < last; ++i) {
    const TensorShape part = context.Input(node, i);
    if (part.unknown_rank || part.dims[*at] == kUnknown) sum = kUnknown;
    if (part.unknown_rank) continue;
    for (size_t d = 0; d < out.dims.size(); ++d) out.dims[d] = MergeDim(out.dims[d], part.dims[d]);
    if (sum != kUnknown) sum += part.dims[*at];
  }
  out.dims[*at] = sum;
  return out;
}

TensorShape Pack(const Context& context, uint32_t node) {
  TensorShape shape = UnknownRank();
  for (size_t i = 0; i < context.InputCount(node); ++i) {
    shape = MergeShapes(shape, context.Input(node, i));
  }
  if (shape.unknown_rank) return shape;
  const int64_t axis = context.node(node).Integer("axis").value_or(0);
  const std::optional<size_t> at = AxisOf(axis, shape.dims.size() + 1);
  if (!at) return UnknownRank();
  shape.dims.insert(shape.dims.begin() + static_cast<ptrdiff_t>(*at),
                    static_cast<int64_t>(context.InputCount(node)));
  return shape;
}

std::vector<TensorShape> Unpack(const Context& context, uint32_t node) {
  TensorShape shape = context.Input(node, 0);
  const auto count = static_cast<size_t>(
      std::clamp<int64_t>(context.node(node).Integer("num").value_or(0), 0, 1 << 20));
  if (!shape.unknown_rank) {
    const std::optional<size_t> at =
        AxisOf(context.node(node).Integer("axis").value_or(0), shape.dims.size());
    if (at) {
      shape.dims.erase(shape.dims.begin() + static_cast<ptrdiff_t>(*at));
    } else {
      shape = UnknownRank();
    }
  }
  return std::vector<TensorShape>(count, shape);
}

std::vector<TensorShape> Split(const Context& context, uint32_t node) {
  TensorShape shape = context.Input(node, 1);
  const std::optional<Values> axis = context.InputValues(node, 0);
  const auto count = static_cast<size_t>(
      std::clamp<int64_t>(context.node(node).Integer("num_split").value_or(1), 1, 1 << 20));
  if (!shape.unknown_rank) {
    const std::optional<size_t> at = axis && axis->elements.size() == 1
                                         ? AxisOf(axis->elements[0], shape.dims.size())
                                         : std::nullopt;
    if (!at) {
      shape = OfRank(shape.dims.size());
    } else if (shape.dims[*at] != kUnknown) {
      shape.dims[*at] /= static_cast<int64_t>(count);
    }
  }
  return std::vector<TensorShape>(count, shape);
}

std::vector<TensorShape> SplitV(const Context& context, uint32_t node) {
  const TensorShape shape = context.Input(node, 0);
  const std::optional<Values> sizes = context.InputValues(node, 1);
  const std::optional<Values> axis = context.InputValues(node, 2);
  const auto count = static_cast<size_t>(
      std::clamp<int64_t>(context.node(node).Integer("num_split").value_or(1), 1, 1 << 20));
  std::vector<TensorShape> outputs(count, shape.unknown_rank ? shape : OfRank(shape.dims.size()));
  if (shape.unknown_rank || !axis || axis->elements.size() != 1) return outputs;
  const std::optional<size_t> at = AxisOf(axis->elements[0], shape.dims.size());
  if (!at) return outputs;
  for (size_t i = 0; i < count; ++i) {
    outputs[i] = shape;
    outputs[i].dims[*at] = sizes && i < sizes->elements.size() ? sizes->elements[i] : kUnknown;
  }
  return outputs;
}

TensorShape Slice(const Context& context, uint32_t node) {
  const TensorShape input = context.Input(node, 0);
  const std::optional<Values> begin = context.InputValues(node, 1);
  const std::optional<Values> size = context.InputValues(node, 2);
  if (!size || (!input.unknown_rank && size->elements.size() != input.dims.size())) {
    if (!input.unknown_rank) return OfRank(input.dims.size());
    return context.InputAsShape(node, 2);
  }
  TensorShape out = OfRank(size->elements.size());
  for (size_t i = 0; i < out.dims.size(); ++i) {
    if (size->elements[i] >= 0) {
      out.dims[i] = size->elements[i];
    } else if (!input.unknown_rank && begin && begin->known() && i < begin->elements.size() &&
               input.dims[i] != kUnknown) {
      out.dims[i] = input.dims[i] - begin->elements[i];
    }
  }
  return out;
}

TensorShape Tile(const Context& context, uint32_t node) {
  TensorShape shape = context.Input(node, 0);
  const TensorShape times = context.InputAsShape(node, 1);
  if (shape.unknown_rank) {
    return times.unknown_rank ? UnknownRank() : OfRank(times.dims.size());
  }
  if (times.unknown_rank || times.dims.size() != shape.dims.size()) {
    return OfRank(shape.dims.size());
  }
  for (size_t i = 0; i < shape.dims.size(); ++i) {
    int64_t& dim = shape.dims[i];
    if (dim == kUnknown || times.dims[i] == kUnknown ||
        __builtin_mul_overflow(dim, times.dims[i], &dim)) {
      dim = kUnknown;
    }
  }
  return shape;
}

TensorShape Pad(const Context& context, uint32_t node) {
  TensorShape shape = context.Input(node, 0);
  const std::optional<Values> pads = context.InputValues(node, 1);
  if (shape.unknown_rank) return shape;
  if (!pads || pads->elements.size() != 2 * shape.dims.size()) return OfRank(shape.dims.size());
  for (size_t i = 0; i < shape.dims.size(); ++i) {
    if (shape.dims[i] != kUnknown)
      shape.dims[i] += pads->elements[2 * i] + pads->elements[2 * i + 1];
  }
  return shape;
}

TensorShape Range(const Context& context, uint32_t node) {
  if (const std::optional<Values> values = Evaluate(context, {node, 0}, 0)) return values->shape;
  return OfRank(1);
}

TensorShape Gather(const Context& context, uint32_t node, TensorShape source, bool has_axis) {
  const TensorShape indices = context.Input(node, 1);
  int64_t axis = 0;
  if (has_axis) {
    const std::optional<Values> value = context.InputValues(node, 2);
    if (!value || value->elements.size() != 1) {
      if (source.unknown_rank || indices.unknown_rank) return UnknownRank();
      return OfRank(source.dims.size() + indices.dims.size() - 1);
    }
    axis = value->elements[0];
  }
  const int64_t batch = context.node(node).Integer("batch_dims").value_or(0);
  if (source.unknown_rank || indices.unknown_rank || batch != 0) return UnknownRank();
  const std::optional<size_t> at = AxisOf(axis, source.dims.size());
  if (!at) return UnknownRank();
  const auto place = source.dims.begin() + static_cast<ptrdiff_t>(*at);
  const auto after = source.dims.erase(place);
  source.dims.insert(after, indices.dims.begin(), indices.dims.end());
  return source;
}

TensorShape OneHot(const Context& context, uint32_t node) {
  TensorShape shape = context.Input(node, 0);
  const std::optional<Values> depth = context.InputValues(node, 1);
  if (shape.unknown_rank) return shape;
  const int64_t axis = context.node(node).Integer("axis").value_or(-1);
  const std::optional<size_t> at = AxisOf(axis, shape.dims.size() + 1);
  if (!at) return UnknownRank();
  shape.dims.insert(shape.dims.begin() + static_cast<ptrdiff_t>(*at),
                    depth && depth->elements.size() == 1 ? depth->elements[0] : kUnknown);
  return shape;
}

TensorShape LengthOfRank(const TensorShape& shape) {
  return {{shape.unknown_rank ? kUnknown : static_cast<int64_t>(shape.dims.size())}, false};
}

TensorShape SegmentSum(const Context& context, uint32_t node) {
  const TensorShape data = context.Input(node, 0);
  const TensorShape ids = context.Input(node, 1);
  const std::optional<Values> count = context.InputValues(node, 2);
  if (data.unknown_rank || ids.unknown_rank || ids.dims.size() > data.dims.size()) {
    return UnknownRank();
  }
  TensorShape out{{count && count->elements.size() == 1 ? count->elements[0] : kUnknown}, false};
  out.dims.insert(out.dims.end(), data.dims.begin() + static_cast<ptrdiff_t>(ids.dims.size()),
                  data.dims.end());
  return out;
}

}  // namespace

Outputs InferArray(const Context& context, uint32_t node) {
  const NodeDef& def = context.node(node);
  const std::string_view op = def.op;
  const auto one = [](TensorShape shape) { return Outputs({std::move(shape)}); };
  const size_t inputs = context.InputCount(node);
  if (op == "Reshape") return one(Reshape(context, node));
  if (op == "Transpose" || op == "ConjugateTranspose") return one(Transpose(context, node));
  if (op == "ExpandDims") return one(ExpandDims(context, node));
  if (op == "Squeeze") return one(Squeeze(context, node));
  if (op == "ConcatV2" && inputs > 0) {
    return one(Concat(context, node, inputs - 1, 0, inputs - 1));
  }
  if (op == "Concat") return one(Concat(context, node, 0, 1, inputs));
  if (op == "Pack") return one(Pack(context, node));
  if (op == "Unpack") return Unpack(context, node);
  if (op == "Split") return Split(context, node);
  if (op == "SplitV") return SplitV(context, node);
  if (op == "Slice") return one(Slice(context, node));
  if (op == "StridedSlice") return one(StridedSliceShape(context, node));
  if (op == "StridedSliceGrad" || op == "BroadcastTo" || op == "Fill" || op == "RandomUniform" ||
      op == "RandomStandardNormal" || op == "TruncatedNormal" || op == "RandomUniformInt" ||
      op == "StatelessRandomNormal" || op == "StatelessRandomUniform" ||
      op == "StatelessRandomUniformV2" || op == "StatelessRandomNormalV2") {
    return one(context.InputAsShape(node, 0 + (op == "BroadcastTo" ? 1 : 0)));
  }
  if (op == "Tile") return one(Tile(context, node));
  if (op == "Pad" || op == "PadV2" || op == "MirrorPad") return one(Pad(context, node));
  if (op == "Range") return one(Range(context, node));
  if (op == "GatherV2") return one(Gather(context, node, context.Input(node, 0), true));
  if (op == "Gather") return one(Gather(context, node, context.Input(node, 0), false));
  if (op == "OneHot") return one(OneHot(context, node));
  if (op == "Shape") return one(LengthOfRank(context.Input(node, 0)));
  if (op == "ShapeN" || op == "ConcatOffset") {
    std::vector<TensorShape> shapes;
    // ConcatOffset has the axis first and gives vectors like those it takes.
    for (size_t i = op == "ShapeN" ? 0 : 1; i < inputs; ++i) {
      const TensorShape input = context.Input(node, i);
      shapes.push_back(op == "ShapeN" ? LengthOfRank(input) : input);
    }
    return shapes;
  }
  if (op == "Rank" || op == "Size") return one(Scalar());
  if (op == "BroadcastGradientArgs") return Outputs({OfRank(1), OfRank(1)});
  if (op == "InvertPermutation") return one(context.Input(node, 0));
  if (op == "Where") {
    const TensorShape input = context.Input(node, 0);
    return one({{kUnknown, input.unknown_rank ? kUnknown : static_cast<int64_t>(input.dims.size())},
                false});
  }
  if (op == "UnsortedSegmentSum" || op == "UnsortedSegmentMax" || op == "UnsortedSegmentMin") {
    return one(SegmentSum(context, node));
  }
  return std::nullopt;
}

}  // namespace stepscope::shapes
