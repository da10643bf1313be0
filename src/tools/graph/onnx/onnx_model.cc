#include "tools/graph/onnx/onnx_model.h"

#include <deque>
#include <unordered_map>
#include <unordered_set>

#include "read/graph_def/graph_def_fields.h"
#include "read/protobuf/walk.h"
#include "read/protobuf/wire_writer.h"
#include "tools/graph/onnx/onnx_fields.h"
#include "words/quality.h"
#include "words/tools.h"

namespace stepscope {
namespace {

constexpr SayFrom<kQualityTexts, kToolsTexts> Say;

using namespace fields;
using namespace onnx;

constexpr int64_t kMostCopied = 4096;  // elements of an integer weight

DataType TypeOf(int64_t onnx_type) {
  switch (onnx_type) {
    case 1:
      return DataType::kFloat;
    case 2:
      return DataType::kUint8;
    case 3:
      return DataType::kInt8;
    case 4:
      return DataType::kUint16;
    case 5:
      return DataType::kInt16;
    case 6:
      return DataType::kInt32;
    case 7:
      return DataType::kInt64;
    case 8:
      return DataType::kString;
    case 9:
      return DataType::kBool;
    case 10:
      return DataType::kHalf;
    case 11:
      return DataType::kDouble;
    case 12:
      return DataType::kUint32;
    case 13:
      return DataType::kUint64;
    case 14:
      return DataType::kComplex64;
    case 15:
      return DataType::kComplex128;
    case 16:
      return DataType::kBfloat16;
    case 17:
      return DataType::kFloat8E4m3fn;
    case 18:
      return DataType::kFloat8E4m3fnuz;
    case 19:
      return DataType::kFloat8E5m2;
    case 20:
      return DataType::kFloat8E5m2fnuz;
    default:
      return DataType::kInvalid;
  }
}

std::string EncodeShape(const TensorShape& shape) {
  std::string out;
  WireWriter writer(out);
  for (const int64_t dim : shape.dims) {
    std::string entry;
    WireWriter(entry).Signed(kDimSize, dim);
    writer.Bytes(kShapeDim, entry);
  }
  if (shape.unknown_rank) writer.Varint(kShapeUnknownRank, 1);
  return out;
}

std::string AttrMessage(uint32_t field, std::string_view message) {
  std::string out;
  WireWriter(out).Bytes(field, message);
  return out;
}

std::string AttrNumber(uint32_t field, int64_t number) {
  std::string out;
  WireWriter(out).Signed(field, number);
  return out;
}

struct Tensor {
  std::string_view name;
  DataType type = DataType::kInvalid;
  TensorShape shape;
  std::string_view raw;
  std::vector<int64_t> integers;

  // As TensorFlow's TensorProto; values only of small integer tensors.
  std::string Encode() const {
    std::string out;
    WireWriter writer(out);
    writer.Signed(kTensorDtype, static_cast<int64_t>(type));
    writer.Bytes(kTensorShape, EncodeShape(shape));
    const std::optional<int64_t> elements = shape.elements();
    const bool integer = type == DataType::kInt32 || type == DataType::kInt64;
    if (!integer || !elements || *elements > kMostCopied) return out;
    if (!raw.empty()) writer.Bytes(kTensorContent, raw);
    for (const int64_t value : integers) {
      writer.Signed(type == DataType::kInt32 ? kTensorInt : kTensorInt64, value);
    }
    return out;
  }
};

class Parser {
 public:
  Parser(std::string_view bytes, Diagnostics& diagnostics, GraphDef& graph)
      : bytes_(bytes),
        diagnostics_(diagnostics),
        faults_(bytes, diagnostics),
        graph_(graph),
        storage_(std::make_shared<std::deque<std::string>>()) {}

  void Run() {
    graph_.dialect = GraphDialect::kOnnx;
    WalkMessage(bytes_, "ModelProto", faults_, [&](const WireReader& r) {
      if (r.field() == kModelGraph) Graph(r.Bytes());
    });
    if (bodies_ > 0) {
      diagnostics_.Say(Diagnostic::kUnknownFields, Say("quality.bodies", bodies_), bodies_);
    }
  }
  std::shared_ptr<const void> storage() const { return storage_; }

 private:
  std::string_view Keep(std::string text) { return storage_->emplace_back(std::move(text)); }

  void Graph(std::string_view bytes) {
    // Shapes are listed after the nodes they belong to.
    std::vector<std::string_view> nodes;
    std::vector<std::string_view> inputs;
    WalkMessage(bytes, "GraphProto", faults_, [&](const WireReader& r) {
      switch (r.field()) {
        case kGraphNodes:
          nodes.push_back(r.Bytes());
          break;
        case kGraphInitializer:
          AddInitializer(r.Bytes());
          break;
        case kGraphInput:
          inputs.push_back(r.Bytes());
          break;
        case kGraphOutput:
        case kGraphValueInfo:
          ValueInfo(r.Bytes());
          break;
        default:
          break;
      }
    });
    for (const std::string_view input : inputs) AddInput(input);
    for (const std::string_view node : nodes) NameOutputs(node);
    for (const std::string_view node : nodes) AddNode(node);
  }

  Tensor ParseTensor(std::string_view bytes) {
    Tensor tensor;
    WalkMessage(bytes, "TensorProto", faults_, [&](const WireReader& r) {
      switch (r.field()) {
        case onnx::kTensorDims:
          AppendIntegers(r, tensor.shape.dims);
          break;
        case onnx::kTensorType:
          tensor.type = TypeOf(r.Signed());
          break;
        case onnx::kTensorInt32Data:
        case onnx::kTensorInt64Data:
          AppendIntegers(r, tensor.integers);
          break;
        case onnx::kTensorName:
          tensor.name = r.Bytes();
          break;
        case onnx::kTensorRawData:
          tensor.raw = r.Bytes();
          break;
        default:
          break;
      }
    });
    return tensor;
  }

  NodeDef& NewNode(std::string_view name, std::string_view op) {
    NodeDef& node = graph_.nodes.emplace_back();
    node.name = name;
    node.op = op;
    return node;
  }

  void AddAttr(NodeDef& node, std::string_view name, std::string value) {
    node.attrs.push_back({name, Keep(std::move(value))});
  }

  void AddInitializer(std::string_view bytes) {
    const Tensor tensor = ParseTensor(bytes);
    if (!names_.insert(tensor.name).second) return;
    producers_.emplace(tensor.name, tensor.name);
    NodeDef& node = NewNode(tensor.name, "Initializer");
    AddAttr(node, "dtype", AttrNumber(kAttrType, static_cast<int64_t>(tensor.type)));
    AddAttr(node, "shape", AttrMessage(kAttrShape, EncodeShape(tensor.shape)));
    AddAttr(node, "value", AttrMessage(kAttrTensor, tensor.Encode()));
  }

  void AddInput(std::string_view bytes) {
    const std::string_view name = ValueInfo(bytes);
    if (name.empty() || !names_.insert(name).second) return;  // a weight with a default
    producers_.emplace(name, name);
    NodeDef& node = NewNode(name, "Placeholder");
    const auto shape = shapes_.find(name);
    AddAttr(node, "shape",
            AttrMessage(kAttrShape, EncodeShape(shape == shapes_.end() ? TensorShape{{}, true}
                                                                       : shape->second)));
  }

  // Returns the value's name.
  std::string_view ValueInfo(std::string_view bytes) {
    std::string_view name;
    std::optional<TensorShape> shape;
    WalkMessage(bytes, "ValueInfoProto", faults_, [&](const WireReader& r) {
      if (r.field() == kValueName) name = r.Bytes();
      if (r.field() != kValueType) return;
      WalkMessage(r.Bytes(), "TypeProto", faults_, [&](const WireReader& type) {
        if (type.field() != kTypeTensor) return;
        WalkMessage(type.Bytes(), "TypeProto.Tensor", faults_, [&](const WireReader& tensor) {
          if (tensor.field() == kTensorTypeShape) shape = Shape(tensor.Bytes());
        });
      });
    });
    if (shape) shapes_.emplace(name, std::move(*shape));
    return name;
  }

  TensorShape Shape(std::string_view bytes) {
    TensorShape shape;
    WalkMessage(bytes, "TensorShapeProto", faults_, [&](const WireReader& r) {
      if (r.field() != kOnnxShapeDim) return;
      int64_t size = -1;  // named dimensions have no value
      WalkMessage(r.Bytes(), "Dimension", faults_, [&](const WireReader& dim) {
        if (dim.field() == kDimValue) size = dim.Signed();
      });
      shape.dims.push_back(size);
    });
    return shape;
  }

  struct NodeNames {
    std::string_view name;
    std::vector<std::string_view> outputs;
  };
  NodeNames NamesOf(std::string_view bytes) {
    NodeNames names;
    WalkMessage(bytes, "NodeProto", faults_, [&](const WireReader& r) {
      if (r.field() == onnx::kNodeName) names.name = r.Bytes();
      if (r.field() == onnx::kNodeOutput) names.outputs.push_back(r.Bytes());
    });
    return names;
  }

  // Names are optional and need not be unique; a node without one goes by its first output.
  void NameOutputs(std::string_view bytes) {
    const NodeNames names = NamesOf(bytes);
    std::string_view name = names.name;
    if (name.empty() || names_.contains(name)) {
      name = names.outputs.empty() ? std::string_view("node") : names.outputs[0];
    }
    if (!names_.insert(name).second) {
      name = Keep(std::string(name) + "#" + std::to_string(node_names_.size()));
      names_.insert(name);
    }
    node_names_.push_back(name);
    for (size_t i = 0; i < names.outputs.size(); ++i) {
      const std::string_view source =
          i == 0 ? name : Keep(std::string(name) + ":" + std::to_string(i));
      producers_.emplace(names.outputs[i], source);
    }
  }

  void AddNode(std::string_view bytes) {
    NodeDef& node = NewNode(node_names_[next_node_++], {});
    std::vector<std::string_view> outputs;
    WalkMessage(bytes, "NodeProto", faults_, [&](const WireReader& r) {
      switch (r.field()) {
        case onnx::kNodeInput: {
          const auto producer = producers_.find(r.Bytes());
          node.inputs.push_back(producer == producers_.end() ? r.Bytes() : producer->second);
          break;
        }
        case onnx::kNodeOutput:
          outputs.push_back(r.Bytes());
          break;
        case onnx::kNodeOpType:
          node.op = r.Bytes();
          break;
        case onnx::kNodeAttribute:
          Attribute(r.Bytes(), node);
          break;
        default:
          break;
      }
    });
    AddOutputShapes(outputs, node);
  }

  void AddOutputShapes(const std::vector<std::string_view>& outputs, NodeDef& node) {
    std::string list;
    for (const std::string_view output : outputs) {
      const auto shape = shapes_.find(output);
      if (shape == shapes_.end()) return;
      WireWriter(list).Bytes(kAttrShape, EncodeShape(shape->second));
    }
    if (!list.empty()) AddAttr(node, "_output_shapes", AttrMessage(kAttrList, list));
  }

  void Attribute(std::string_view bytes, NodeDef& node) {
    std::string_view name;
    std::string value;
    std::string list;
    WalkMessage(bytes, "AttributeProto", faults_, [&](const WireReader& r) {
      WireWriter writer(value);
      switch (r.field()) {
        case onnx::kAttributeName:
          name = r.Bytes();
          break;
        case onnx::kAttributeFloat:
          writer.Float(kAttrFloat, r.Float());
          break;
        case onnx::kAttributeInt:
          writer.Signed(kAttrInt, r.Signed());
          break;
        case onnx::kAttributeString:
          writer.Bytes(kAttrBytes, r.Bytes());
          break;
        case onnx::kAttributeTensor:
          writer.Bytes(kAttrTensor, ParseTensor(r.Bytes()).Encode());
          break;
        case onnx::kAttributeGraph:
          ++bodies_;
          break;
        case onnx::kAttributeInts: {
          std::vector<int64_t> numbers;
          AppendIntegers(r, numbers);
          for (const int64_t number : numbers) WireWriter(list).Signed(kAttrInt, number);
          break;
        }
        case onnx::kAttributeStrings:
          WireWriter(list).Bytes(kAttrBytes, r.Bytes());
          break;
        default:
          break;
      }
    });
    if (!list.empty()) WireWriter(value).Bytes(kAttrList, list);
    AddAttr(node, name, std::move(value));
  }

  const std::string_view bytes_;
  Diagnostics& diagnostics_;
  MessageFaults faults_;
  GraphDef& graph_;
  std::shared_ptr<std::deque<std::string>> storage_;
  std::unordered_set<std::string_view> names_;
  std::vector<std::string_view> node_names_;
  size_t next_node_ = 0;
  std::unordered_map<std::string_view, std::string_view> producers_;  // value, "node" or "node:1"
  std::unordered_map<std::string_view, TensorShape> shapes_;
  uint64_t bodies_ = 0;
};

}  // namespace

Result<GraphDef> ParseOnnxModel(const FileBytes& file, const std::string& path,
                                Diagnostics& diagnostics) {
  const std::string_view bytes(file.bytes().data(), file.bytes().size());
  GraphDef graph;
  Parser parser(bytes, diagnostics, graph);
  parser.Run();
  auto owners =
      std::make_shared<std::pair<FileBytes, std::shared_ptr<const void>>>(file, parser.storage());
  graph.owner = std::move(owners);
  if (graph.nodes.empty() && diagnostics.CountOf(Diagnostic::kMalformedProtobuf) > 0) {
    return Fail(ErrorCode::kDamaged, Say("graph.not-onnx"), path, Say("graph.give-onnx"));
  }
  return graph;
}

Result<GraphDef> ReadOnnxModel(const std::string& path, Diagnostics& diagnostics) {
  Result<FileBytes> bytes = ReadWhole(path);
  if (!bytes) return std::unexpected(std::move(bytes.error()));
  return ParseOnnxModel(*bytes, path, diagnostics);
}

}  // namespace stepscope
