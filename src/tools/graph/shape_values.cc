// Integer constants behind shapes.
#include <algorithm>

#include "tools/graph/shape_context.h"
#include "tools/graph/strided_slice.h"

namespace stepscope::shapes {
namespace {

constexpr int kDeepest = 100;
constexpr size_t kMostElements = 4096;

std::optional<Values> ShapeOf(const TensorShape& shape) {
  if (shape.unknown_rank) return std::nullopt;
  Values values;
  values.shape.dims.assign(1, static_cast<int64_t>(shape.dims.size()));
  values.elements = shape.dims;
  return values;
}

int64_t FloorDivide(int64_t a, int64_t b) {
  const int64_t quotient = a / b;
  return a % b != 0 && (a < 0) != (b < 0) ? quotient - 1 : quotient;
}

}  // namespace

// One path from an output back to constants. A value that depends on an unknown number is unknown.
class ValueEvaluator {
 public:
  ValueEvaluator(const Context& context, GraphEdge edge, int depth)
      : context_(context), edge_(edge), node_(context.graph().node(edge.node)), depth_(depth) {}

  std::optional<Values> Run() const {
    const std::string_view op = node_.op;
    if (op == "Const" || op == "Constant" || op == "Initializer") return Constant();
    if (context_.graph().graph().dialect == GraphDialect::kOnnx) return RunOnnx();
    if (op == "Identity" || op == "Enter" || op == "Cast" || op == "StopGradient") return Input(0);
    if (op == "Shape") return ShapeOf(context_.Input(edge_.node, 0));
    if (op == "ShapeN") return ShapeOf(context_.Input(edge_.node, edge_.output));
    if (op == "Rank") return Rank();
    if (op == "Size") return Size();
    if (op == "Pack") return Pack();
    if (op == "ConcatV2") return Concat(InputCount() - 1, 0);
    if (op == "Concat") return Concat(0, 1);
    if (op == "StridedSlice") return Slice();
    if (op == "GatherV2") return Gather();
    if (op == "Range") return Range();
    if (op == "Fill") return Fill();
    if (op == "Reshape" || op == "ExpandDims" || op == "Squeeze") return Reshaped();
    if (op == "Prod") return Product();
    return Binary();
  }

 private:
  size_t InputCount() const { return context_.InputCount(edge_.node); }
  std::optional<Values> Input(size_t input) const {
    if (input >= InputCount()) return std::nullopt;
    return Evaluate(context_, context_.graph().inputs(edge_.node)[input], depth_ + 1);
  }
  std::optional<Values> KnownInput(size_t input) const {
    std::optional<Values> values = Input(input);
    if (!values || !values->known()) return std::nullopt;
    return values;
  }

  std::optional<Values> Constant() const {
    const std::optional<TensorConstant> tensor = node_.Tensor("value");
    if (!tensor) return std::nullopt;
    const auto numbers = tensor->Integers(kMostElements);
    if (!numbers) return std::nullopt;
    return Values{tensor->shape, *numbers};
  }

  // ONNX makes shapes of few ops, whose axes are attributes.
  std::optional<Values> RunOnnx() const {
    const std::string_view op = node_.op;
    if (op == "Identity" || op == "Cast") return Input(0);
    if (op == "Shape") return ShapeOf(context_.Input(edge_.node, 0));
    if (op == "Unsqueeze" || op == "Squeeze" || op == "Reshape") return Reshaped();
    if (op == "Gather") return Pick(node_.Integer("axis").value_or(0));
    if (op == "Concat" && node_.Integer("axis").value_or(0) == 0) return Join(0, InputCount());
    return Binary();
  }

  std::optional<Values> Rank() const {
    const TensorShape shape = context_.Input(edge_.node, 0);
    if (shape.unknown_rank) return std::nullopt;
    return Values{Scalar(), {static_cast<int64_t>(shape.dims.size())}};
  }

  std::optional<Values> Size() const {
    const std::optional<int64_t> elements = context_.Input(edge_.node, 0).elements();
    if (!elements) return std::nullopt;
    return Values{Scalar(), {*elements}};
  }

  // Scalars into a vector.
  std::optional<Values> Pack() const {
    Values packed{{{static_cast<int64_t>(InputCount())}, false}, {}};
    for (size_t i = 0; i < InputCount(); ++i) {
      const std::optional<Values> part = Input(i);
      // An unknown element is an unknown dimension, if it is a single number at all.
      const TensorShape shape = context_.Input(edge_.node, i);
      if (shape.unknown_rank || !shape.dims.empty()) return std::nullopt;
      packed.elements.push_back(part && part->elements.size() == 1 ? part->elements[0] : kUnknown);
    }
    return packed;
  }

  std::optional<Values> Concat(size_t axis_input, size_t first) const {
    const std::optional<Values> axis = KnownInput(axis_input);
    if (!axis || axis->elements != std::vector<int64_t>{0}) return std::nullopt;
    return Join(first, first == 0 ? InputCount() - 1 : InputCount());
  }

  // Vectors one after the other.
  std::optional<Values> Join(size_t first, size_t last) const {
    Values joined;
    for (size_t i = first; i < last; ++i) {
      const std::optional<Values> part = Input(i);
      if (!part || part->shape.dims.size() != 1) return std::nullopt;
      joined.elements.insert(joined.elements.end(), part->elements.begin(), part->elements.end());
    }
    joined.shape.dims = {static_cast<int64_t>(joined.elements.size())};
    return joined;
  }

  std::optional<Values> Slice() const {
    const std::optional<Values> source = Input(0);
    if (!source || source->shape.dims.size() != 1) return std::nullopt;
    const std::optional<SliceRange> range =
        VectorSlice(context_, edge_.node, source->elements.size());
    if (!range) return std::nullopt;
    if (range->shrink) {
      const auto size = static_cast<int64_t>(source->elements.size());
      if (range->begin < 0 || range->begin >= size) return std::nullopt;
      return Values{Scalar(), {source->elements[static_cast<size_t>(range->begin)]}};
    }
    Values out;
    for (int64_t i = range->begin; range->stride > 0 ? i < range->end : i > range->end;
         i += range->stride) {
      out.elements.push_back(source->elements[static_cast<size_t>(i)]);
    }
    out.shape.dims.assign(1, static_cast<int64_t>(out.elements.size()));
    return out;
  }

  std::optional<Values> Gather() const {
    const std::optional<Values> axis = KnownInput(2);
    if (!axis || axis->elements.size() != 1) return std::nullopt;
    return Pick(axis->elements[0]);
  }

  // Elements of a vector by index.
  std::optional<Values> Pick(int64_t axis) const {
    const std::optional<Values> source = Input(0);
    const std::optional<Values> indices = KnownInput(1);
    if (!source || !indices || source->shape.dims.size() != 1 || axis != 0) return std::nullopt;
    Values out{indices->shape, {}};
    for (const int64_t index : indices->elements) {
      const std::optional<size_t> at = AxisOf(index, source->elements.size());
      if (!at) return std::nullopt;
      out.elements.push_back(source->elements[*at]);
    }
    return out.known() ? std::optional(out) : std::nullopt;
  }

  std::optional<Values> Range() const {
    const auto start = KnownInput(0);
    const auto limit = KnownInput(1);
    const auto delta = KnownInput(2);
    if (!start || !limit || !delta || start->elements.size() != 1 || limit->elements.size() != 1 ||
        delta->elements.size() != 1 || delta->elements[0] == 0) {
      return std::nullopt;
    }
    Values out;
    const int64_t step = delta->elements[0];
    for (int64_t i = start->elements[0]; step > 0 ? i < limit->elements[0] : i > limit->elements[0];
         i += step) {
      if (out.elements.size() == kMostElements) return std::nullopt;
      out.elements.push_back(i);
    }
    out.shape.dims = {static_cast<int64_t>(out.elements.size())};
    return out;
  }

  std::optional<Values> Fill() const {
    const auto dims = KnownInput(0);
    const auto value = KnownInput(1);
    if (!dims || !value || value->elements.size() != 1) return std::nullopt;
    Values out{{dims->elements, false}, {}};
    const std::optional<int64_t> count = out.shape.elements();
    if (!count || static_cast<size_t>(*count) > kMostElements) return std::nullopt;
    out.elements.assign(static_cast<size_t>(*count), value->elements[0]);
    return out;
  }

  std::optional<Values> Reshaped() const {
    std::optional<Values> values = Input(0);
    const TensorShape shape = context_.Output(edge_);
    if (!values || shape.elements() != static_cast<int64_t>(values->elements.size())) {
      return std::nullopt;
    }
    values->shape = shape;
    return values;
  }

  std::optional<Values> Product() const {
    const auto values = KnownInput(0);
    const TensorShape shape = context_.Output(edge_);
    if (!values || shape.unknown_rank || !shape.dims.empty()) return std::nullopt;
    int64_t product = 1;
    for (const int64_t value : values->elements) {
      if (__builtin_mul_overflow(product, value, &product)) return std::nullopt;
    }
    return Values{Scalar(), {product}};
  }

  // Element by element; a single number pairs with every element of the other side.
  std::optional<Values> Binary() const {
    const auto operation = OperationOf(node_.op);
    if (operation == nullptr) return std::nullopt;
    const auto a = KnownInput(0);
    const auto b = KnownInput(1);
    if (!a || !b || a->elements.empty() || b->elements.empty()) return std::nullopt;
    const size_t size = std::max(a->elements.size(), b->elements.size());
    if ((a->elements.size() != size && a->elements.size() != 1) ||
        (b->elements.size() != size && b->elements.size() != 1)) {
      return std::nullopt;
    }
    Values out{Broadcast(a->shape, b->shape), {}};
    for (size_t i = 0; i < size; ++i) {
      const int64_t x = a->elements[a->elements.size() == 1 ? 0 : i];
      const int64_t y = b->elements[b->elements.size() == 1 ? 0 : i];
      int64_t result = 0;
      if (!operation(x, y, result)) return std::nullopt;
      out.elements.push_back(result);
    }
    return out;
  }

  using Operation = bool (*)(int64_t, int64_t, int64_t&);
  static Operation OperationOf(std::string_view op) {
    if (op == "Add" || op == "AddV2") {
      return [](int64_t a, int64_t b, int64_t& out) { return !__builtin_add_overflow(a, b, &out); };
    }
    if (op == "Sub") {
      return [](int64_t a, int64_t b, int64_t& out) { return !__builtin_sub_overflow(a, b, &out); };
    }
    if (op == "Mul") {
      return [](int64_t a, int64_t b, int64_t& out) { return !__builtin_mul_overflow(a, b, &out); };
    }
    if (op == "FloorDiv" || op == "Div") {
      return [](int64_t a, int64_t b, int64_t& out) {
        if (b == 0 || (a == INT64_MIN && b == -1)) return false;
        out = FloorDivide(a, b);
        return true;
      };
    }
    if (op == "FloorMod") {
      return [](int64_t a, int64_t b, int64_t& out) {
        if (b == 0 || (a == INT64_MIN && b == -1)) return false;
        out = a - FloorDivide(a, b) * b;
        return true;
      };
    }
    if (op == "Maximum") {
      return [](int64_t a, int64_t b, int64_t& out) {
        out = std::max(a, b);
        return true;
      };
    }
    if (op == "Minimum") {
      return [](int64_t a, int64_t b, int64_t& out) {
        out = std::min(a, b);
        return true;
      };
    }
    return nullptr;
  }

  const Context& context_;
  const GraphEdge edge_;
  const NodeDef& node_;
  const int depth_;
};

std::optional<Values> Evaluate(const Context& context, GraphEdge edge, int depth) {
  if (depth > kDeepest || edge.node >= context.graph().size()) return std::nullopt;
  return ValueEvaluator(context, edge, depth).Run();
}

}  // namespace stepscope::shapes
