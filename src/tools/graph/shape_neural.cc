// Shape rules for convolutions, pooling, normalisation and losses.
#include "tools/graph/shape_context.h"

namespace stepscope::shapes {
namespace {

// The positions of height, width and channels.
struct Layout {
  size_t height;
  size_t width;
  size_t channels;
};
Layout LayoutOf(const NodeDef& def) {
  return def.Bytes("data_format").value_or("NHWC") == "NCHW" ? Layout{2, 3, 1} : Layout{1, 2, 3};
}

// Length of a convolution's or pool's output along one dimension.
int64_t Windowed(const NodeDef& def, int64_t input, int64_t window, int64_t stride,
                 int64_t dilation, size_t dim) {
  if (input == kUnknown || window == kUnknown || stride <= 0) return kUnknown;
  const int64_t reach = (window - 1) * dilation + 1;
  const std::string_view padding = def.Bytes("padding").value_or("VALID");
  if (padding == "SAME") return (input + stride - 1) / stride;
  int64_t padded = input;
  if (padding == "EXPLICIT") {
    const auto pads = def.Integers("explicit_paddings");
    if (!pads || pads->size() <= 2 * dim + 1) return kUnknown;
    padded += (*pads)[2 * dim] + (*pads)[2 * dim + 1];
  }
  return padded < reach ? 0 : (padded - reach + stride) / stride;
}

int64_t At(const std::optional<std::vector<int64_t>>& list, size_t index, int64_t otherwise) {
  return list && index < list->size() ? (*list)[index] : otherwise;
}

TensorShape Convolution(const Context& context, uint32_t node, bool depthwise) {
  const NodeDef& def = context.node(node);
  const TensorShape input = context.Input(node, 0);
  const TensorShape filter = context.Input(node, 1);
  const Layout layout = LayoutOf(def);
  if ((!input.unknown_rank && input.dims.size() != 4) ||
      (!filter.unknown_rank && filter.dims.size() != 4)) {
    return UnknownRank();
  }
  TensorShape out = OfRank(4);
  const auto in = [&](size_t i) { return input.unknown_rank ? kUnknown : input.dims[i]; };
  const auto kernel = [&](size_t i) { return filter.unknown_rank ? kUnknown : filter.dims[i]; };
  const auto strides = def.Integers("strides");
  const auto dilations = def.Integers("dilations");
  out.dims[0] = in(0);
  const auto along = [&](size_t dim, size_t kernel_dim) {
    return Windowed(def, in(dim), kernel(kernel_dim), At(strides, dim, 1), At(dilations, dim, 1),
                    dim);
  };
  out.dims[layout.height] = along(layout.height, 0);
  out.dims[layout.width] = along(layout.width, 1);
  out.dims[layout.channels] = kernel(3);
  if (depthwise) {
    out.dims[layout.channels] =
        kernel(2) == kUnknown || kernel(3) == kUnknown ? kUnknown : kernel(2) * kernel(3);
  }
  return out;
}

TensorShape Pool(const Context& context, uint32_t node) {
  const NodeDef& def = context.node(node);
  const TensorShape input = context.Input(node, 0);
  if (input.unknown_rank || input.dims.size() != 4) return OfRank(4);
  const auto window = def.Integers("ksize");
  const auto strides = def.Integers("strides");
  TensorShape out = input;
  for (size_t i = 0; i < 4; ++i) {
    if (At(window, i, 1) == 1 && At(strides, i, 1) == 1) continue;
    out.dims[i] = Windowed(def, input.dims[i], At(window, i, 1), At(strides, i, 1), 1, i);
  }
  return out;
}

// The shape of x and shapes of one number per channel.
std::vector<TensorShape> BatchNorm(const Context& context, uint32_t node, size_t outputs) {
  const TensorShape x = context.Input(node, 0);
  const Layout layout = LayoutOf(context.node(node));
  TensorShape channel = OfRank(1);
  if (!x.unknown_rank && x.dims.size() == 4) channel.dims[0] = x.dims[layout.channels];
  for (size_t i = 1; i <= 2; ++i) channel = MergeShapes(channel, context.Input(node, i));
  std::vector<TensorShape> shapes{x, channel, channel, channel, channel};
  if (outputs == 6) shapes.push_back(UnknownRank());
  return shapes;
}

std::vector<TensorShape> BatchNormGrad(const Context& context, uint32_t node) {
  const TensorShape x = MergeShapes(context.Input(node, 0), context.Input(node, 1));
  const Layout layout = LayoutOf(context.node(node));
  TensorShape channel = OfRank(1);
  if (!x.unknown_rank && x.dims.size() == 4) channel.dims[0] = x.dims[layout.channels];
  channel = MergeShapes(channel, context.Input(node, 2));
  const TensorShape none{{0}, false};
  return {x, channel, channel, none, none};
}

std::vector<TensorShape> CrossEntropy(const Context& context, uint32_t node, bool sparse) {
  TensorShape logits = context.Input(node, 0);
  const TensorShape labels = context.Input(node, 1);
  if (logits.unknown_rank || logits.dims.size() != 2) logits = OfRank(2);
  if (sparse && !labels.unknown_rank && labels.dims.size() == 1) {
    logits.dims[0] = MergeDim(logits.dims[0], labels.dims[0]);
  } else if (!sparse) {
    logits = Broadcast(logits, labels);
    if (logits.unknown_rank) return {OfRank(1), OfRank(2)};
  }
  return {{{logits.dims[0]}, false}, logits};
}

TensorShape BiasAddGrad(const Context& context, uint32_t node) {
  const TensorShape input = context.Input(node, 0);
  if (input.unknown_rank || input.dims.empty()) return OfRank(1);
  const bool channels_first = context.node(node).Bytes("data_format").value_or("NHWC") == "NCHW";
  if (channels_first && input.dims.size() < 2) return OfRank(1);
  return {{channels_first ? input.dims[1] : input.dims.back()}, false};
}

}  // namespace

Outputs InferNeuralNet(const Context& context, uint32_t node) {
  const std::string_view op = context.node(node).op;
  const auto one = [](TensorShape shape) { return Outputs({std::move(shape)}); };
  if (op == "Conv2D") return one(Convolution(context, node, false));
  if (op == "DepthwiseConv2dNative") return one(Convolution(context, node, true));
  if (op == "Conv2DBackpropInput" || op == "AvgPoolGrad" ||
      op == "DepthwiseConv2dNativeBackpropInput") {
    return one(context.InputAsShape(node, 0));
  }
  if (op == "Conv2DBackpropFilter" || op == "DepthwiseConv2dNativeBackpropFilter") {
    return one(context.InputAsShape(node, 1));
  }
  if (op == "MaxPool" || op == "AvgPool") return one(Pool(context, node));
  if (op == "MaxPoolGrad" || op == "LRN") return one(context.Input(node, 0));
  if (op == "BiasAdd" || op == "BiasAddV1") return one(context.Input(node, 0));
  if (op == "BiasAddGrad") return one(BiasAddGrad(context, node));
  if (op == "FusedBatchNorm" || op == "FusedBatchNormV2") return BatchNorm(context, node, 5);
  if (op == "FusedBatchNormV3" || op == "_FusedBatchNormEx") return BatchNorm(context, node, 6);
  if (op.starts_with("FusedBatchNormGrad")) return BatchNormGrad(context, node);
  if (op == "SparseSoftmaxCrossEntropyWithLogits") return CrossEntropy(context, node, true);
  if (op == "SoftmaxCrossEntropyWithLogits") return CrossEntropy(context, node, false);
  return std::nullopt;
}

}  // namespace stepscope::shapes
