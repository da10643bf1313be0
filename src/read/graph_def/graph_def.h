#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/diagnostics.h"
#include "base/result.h"
#include "io/byte_source.h"

namespace stepscope {

// TensorFlow's DataType by number; a reference type is 100 more.
enum class DataType : int32_t {
  kInvalid = 0,
  kFloat = 1,
  kDouble = 2,
  kInt32 = 3,
  kUint8 = 4,
  kInt16 = 5,
  kInt8 = 6,
  kString = 7,
  kComplex64 = 8,
  kInt64 = 9,
  kBool = 10,
  kQint8 = 11,
  kQuint8 = 12,
  kQint32 = 13,
  kBfloat16 = 14,
  kQint16 = 15,
  kQuint16 = 16,
  kUint16 = 17,
  kComplex128 = 18,
  kHalf = 19,
  kResource = 20,
  kVariant = 21,
  kUint32 = 22,
  kUint64 = 23,
  kFloat8E5m2 = 24,
  kFloat8E4m3fn = 25,
  kFloat8E4m3fnuz = 26,
  kFloat8E4m3b11fnuz = 27,
  kFloat8E5m2fnuz = 28,
  kInt4 = 29,
  kUint4 = 30,
  kInt2 = 31,
  kUint2 = 32
};
std::string_view NameOf(DataType type);  // "float32", "float32_ref", …
// Bytes of one element; 0 where that is not fixed (strings, resources) or below a byte.
int64_t SizeOf(DataType type);

struct TensorShape {
  std::vector<int64_t> dims;  // -1: unknown
  bool unknown_rank = false;

  friend bool operator==(const TensorShape&, const TensorShape&) = default;
  bool fully_defined() const;
  // Product of the dims; nothing unless fully defined or when it overflows.
  std::optional<int64_t> elements() const;
};
TensorShape ParseTensorShape(std::string_view bytes);

// A constant of the graph. Numbers are read out on demand: most constants are never looked at.
struct TensorConstant {
  DataType type = DataType::kInvalid;
  TensorShape shape;
  std::string_view bytes;  // the whole TensorProto
  // The values of an integer tensor, at most `limit` of them; the last stored one repeats up to the
  // shape's size, as TensorFlow writes constants.
  std::optional<std::vector<int64_t>> Integers(size_t limit = 4096) const;
};
TensorConstant ParseTensorConstant(std::string_view bytes);

// An attribute as it lies in the file; read by the typed getters of NodeDef.
struct Attr {
  std::string_view name;
  std::string_view value;  // AttrValue's bytes
};

// For whoever holds attributes without a node around them.
std::optional<std::string_view> BytesAttr(std::span<const Attr> attrs, std::string_view name);
std::optional<std::vector<TensorShape>> ShapesAttr(std::span<const Attr> attrs,
                                                   std::string_view name);

// Views into the file the graph was read from; GraphDef keeps it alive.
struct NodeDef {
  std::string_view name;
  std::string_view op;
  std::string_view device;
  std::vector<std::string_view> inputs;  // "name", "name:1", "^name"
  std::vector<Attr> attrs;

  // Nothing when the attribute is missing or of another type. O(attributes).
  bool Has(std::string_view attr) const { return Find(attr) != nullptr; }
  std::optional<int64_t> Integer(std::string_view attr) const;
  std::optional<float> Float(std::string_view attr) const;
  std::optional<bool> Bool(std::string_view attr) const;
  std::optional<std::string_view> Bytes(std::string_view attr) const;
  std::optional<DataType> Type(std::string_view attr) const;
  std::optional<TensorShape> Shape(std::string_view attr) const;
  std::optional<TensorConstant> Tensor(std::string_view attr) const;
  std::optional<std::string_view> FunctionName(std::string_view attr) const;
  std::optional<std::vector<int64_t>> Integers(std::string_view attr) const;
  std::optional<std::vector<TensorShape>> Shapes(std::string_view attr) const;
  std::optional<std::vector<DataType>> Types(std::string_view attr) const;
  std::optional<std::vector<std::string_view>> BytesList(std::string_view attr) const;

 private:
  const std::string_view* Find(std::string_view attr) const;
};

struct FunctionDef {
  std::string_view name;
  std::vector<NodeDef> nodes;
};

// What a MetaGraphDef's collections say of one variable.
struct VariableDef {
  std::string_view name;  // of the node, without ":0"
  bool trainable = false;
};

// The framework whose op names these are.
enum class GraphDialect : uint8_t { kTensorFlow, kOnnx };

struct GraphDef {
  GraphDialect dialect = GraphDialect::kTensorFlow;
  std::vector<NodeDef> nodes;
  std::vector<FunctionDef> functions;
  int64_t producer = 0;  // GraphDef version of the TensorFlow that wrote it
  // From a MetaGraphDef; empty in a plain graph.
  std::string_view tensorflow_version;
  std::vector<VariableDef> variables;
  bool has_collections = false;
  std::shared_ptr<const void> owner;  // what the views look into
};

// GraphDef, MetaGraphDef or SavedModel (its first graph), binary or text, told apart by content.
// A file cut short gives the nodes before the cut and a diagnostic.
Result<GraphDef> ReadGraphDef(const std::string& path, Diagnostics& diagnostics);
Result<GraphDef> ParseGraphDef(const FileBytes& bytes, const std::string& path,
                               Diagnostics& diagnostics);
// Wire bytes of a GraphDef that something else holds (RunMetadata's partition graphs, an event
// file); the views are as long-lived as the bytes.
GraphDef ParseGraphDefMessage(std::string_view bytes, Diagnostics& diagnostics);

}  // namespace stepscope
