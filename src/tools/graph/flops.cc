#include "tools/graph/flops.h"

#include <array>
#include <string_view>

namespace stepscope {
namespace {

// Elements of the first input or of the output, times a factor.
enum class Per : uint8_t { kInput, kOutput };
struct PerElement {
  std::string_view op;
  Per per;
  int64_t factor;
};
constexpr std::array<PerElement, 26> kPerElement{{
    {"Reciprocal", Per::kInput, 1},
    {"Square", Per::kInput, 1},
    {"Rsqrt", Per::kInput, 2},
    {"Log", Per::kInput, 1},
    {"Neg", Per::kInput, 1},
    {"AssignSub", Per::kInput, 1},
    {"AssignAdd", Per::kInput, 1},
    {"Softmax", Per::kInput, 5},
    {"BiasAdd", Per::kInput, 1},
    {"Add", Per::kOutput, 1},
    {"AddV2", Per::kOutput, 1},
    {"Sub", Per::kOutput, 1},
    {"Mul", Per::kOutput, 1},
    {"RealDiv", Per::kOutput, 1},
    {"Maximum", Per::kOutput, 1},
    {"Minimum", Per::kOutput, 1},
    {"Pow", Per::kOutput, 1},
    {"RsqrtGrad", Per::kOutput, 4},
    {"GreaterEqual", Per::kOutput, 1},
    {"Greater", Per::kOutput, 1},
    {"LessEqual", Per::kOutput, 1},
    {"Less", Per::kOutput, 1},
    {"Equal", Per::kOutput, 1},
    {"NotEqual", Per::kOutput, 1},
    {"SquaredDifference", Per::kOutput, 2},
    {"Mean", Per::kInput, 1},
}};

class Counter {
 public:
  Counter(const GraphIndex& graph, const std::vector<NodeShapes>& shapes, uint32_t node)
      : graph_(graph), shapes_(shapes), index_(node), node_(graph.node(node)) {}

  std::optional<int64_t> Count() const {
    return graph_.graph().dialect == GraphDialect::kOnnx ? CountOnnx() : CountTensorFlow();
  }

 private:
  // The same formulas under ONNX's names and layout.
  std::optional<int64_t> CountOnnx() const {
    const std::string_view op = node_.op;
    if (op == "Conv") {
      std::optional<int64_t> flops = Times(Output(), 2);
      const TensorShape filter = Input(1);  // out, in / groups, spatial
      for (size_t i = 1; i < filter.dims.size(); ++i) flops = Times(flops, Dim(filter, i));
      return filter.unknown_rank ? std::nullopt : flops;
    }
    if (op == "Gemm") {
      const bool transposed = node_.Integer("transA").value_or(0) != 0;
      return Times(Times(Output(), Dim(Input(0), transposed ? 0 : 1)), 2);
    }
    if (op == "MatMul") {
      const TensorShape a = Input(0);
      return a.dims.empty() ? std::nullopt : Times(Times(Output(), Dim(a, a.dims.size() - 1)), 2);
    }
    if (op == "Add" || op == "Sub" || op == "Mul" || op == "Div" || op == "Pow") return Output();
    if (op == "Softmax") return Times(Elements(Input(0)), 5);
    return std::nullopt;
  }

  std::optional<int64_t> CountTensorFlow() const {
    const std::string_view op = node_.op;
    for (const PerElement& row : kPerElement) {
      if (row.op == op)
        return Times(row.per == Per::kInput ? Elements(Input(0)) : Output(), row.factor);
    }
    if (op == "L2Loss") return Minus(Times(Elements(Input(0)), 3), 1);
    if (op == "Sum" || op == "ArgMax" || op == "ArgMin" || op == "BiasAddGrad") {
      return Minus(Elements(Input(0)), Output());
    }
    if (op == "AvgPool" || op == "MaxPool") return ChannelsLast(Times(Output(), Window()));
    if (op == "AvgPoolGrad") {
      return ChannelsLast(Times(Times(Elements(Input(1)), Window()), 2));
    }
    if (op == "MaxPoolGrad") {
      const auto window = Window();
      return window ? ChannelsLast(Times(Elements(Input(1)), *window + 1)) : std::nullopt;
    }
    if (op == "Conv2DBackpropInput") return Backprop(OutputShape(), Input(1));
    if (op == "Conv2DBackpropFilter") return Backprop(Input(0), OutputShape());
    if (op == "AddN") {
      const auto terms = static_cast<int64_t>(graph_.inputs(index_).size());
      return Times(Elements(Input(0)), terms - 1);
    }
    if (op == "MatMul") {
      return Times(
          Times(Output(), Dim(Input(0), node_.Bool("transpose_a").value_or(false) ? 0 : 1)), 2);
    }
    if (op == "BatchMatMul" || op == "BatchMatMulV2" || op == "BatchMatMulV3") {
      const TensorShape a = Input(0);
      return a.dims.empty() ? std::nullopt : Times(Times(Output(), Dim(a, a.dims.size() - 1)), 2);
    }
    if (op == "Conv2D") return Convolution(3);
    if (op == "DepthwiseConv2dNative" || op == "Dilation2D") return Convolution(2);
    if (op == "Conv3D") return Convolution(4);
    return std::nullopt;
  }

  TensorShape ShapeOf(GraphEdge edge) const {
    if (edge.node >= shapes_.size() || edge.output >= shapes_[edge.node].outputs.size()) {
      return {{}, true};
    }
    return shapes_[edge.node].outputs[edge.output];
  }
  TensorShape Input(size_t input) const {
    const std::vector<GraphEdge>& inputs = graph_.inputs(index_);
    return input < inputs.size() ? ShapeOf(inputs[input]) : TensorShape{{}, true};
  }
  TensorShape OutputShape() const { return ShapeOf({index_, 0}); }

  static std::optional<int64_t> Elements(const TensorShape& shape) { return shape.elements(); }
  std::optional<int64_t> Output() const { return Elements(OutputShape()); }
  static std::optional<int64_t> Dim(const TensorShape& shape, size_t dim) {
    if (shape.unknown_rank || dim >= shape.dims.size() || shape.dims[dim] < 0) return std::nullopt;
    return shape.dims[dim];
  }

  static std::optional<int64_t> Times(std::optional<int64_t> a, std::optional<int64_t> b) {
    int64_t product = 0;
    if (!a || !b || __builtin_mul_overflow(*a, *b, &product)) return std::nullopt;
    return product;
  }
  static std::optional<int64_t> Minus(std::optional<int64_t> a, std::optional<int64_t> b) {
    if (!a || !b) return std::nullopt;
    return *a - *b;
  }

  std::optional<int64_t> Window() const {
    const auto sizes = node_.Integers("ksize");
    if (!sizes) return std::nullopt;
    std::optional<int64_t> product = 1;
    for (const int64_t size : *sizes) product = Times(product, size);
    return product;
  }

  // tfprof counts pools and gradients of convolutions in this layout only.
  std::optional<int64_t> ChannelsLast(std::optional<int64_t> flops) const {
    return node_.Bytes("data_format") == "NHWC" ? flops : std::nullopt;
  }

  // Output elements times the filter's leading dimensions, twice.
  std::optional<int64_t> Convolution(size_t filter_dims) const {
    const TensorShape filter = Input(1);
    if (!Elements(Input(0)) || !Elements(filter)) return std::nullopt;
    std::optional<int64_t> flops = Times(Output(), 2);
    for (size_t i = 0; i < filter_dims; ++i) flops = Times(flops, Dim(filter, i));
    return flops;
  }

  std::optional<int64_t> Backprop(const TensorShape& image, const TensorShape& filter) const {
    const auto strides = node_.Integers("strides");
    const auto flops = ChannelsLast(Times(Times(Elements(image), Elements(filter)), 2));
    if (!flops || !strides || strides->size() < 3 || image.dims.empty()) return std::nullopt;
    const auto divisor = Times(Times(image.dims.back(), (*strides)[1]), (*strides)[2]);
    if (!divisor || *divisor <= 0) return std::nullopt;
    return *flops / *divisor;
  }

  const GraphIndex& graph_;
  const std::vector<NodeShapes>& shapes_;
  const uint32_t index_;
  const NodeDef& node_;
};

}  // namespace

std::vector<std::optional<int64_t>> CountFlops(const GraphIndex& graph,
                                               const std::vector<NodeShapes>& shapes) {
  std::vector<std::optional<int64_t>> flops(graph.size());
  for (uint32_t i = 0; i < graph.size(); ++i) flops[i] = Counter(graph, shapes, i).Count();
  return flops;
}

}  // namespace stepscope
