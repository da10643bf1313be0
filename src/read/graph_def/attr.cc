// The typed getters of NodeDef and the values behind them.
#include <limits>

#include "read/graph_def/graph_def.h"
#include "read/graph_def/graph_def_fields.h"
#include "read/protobuf/walk.h"

namespace stepscope {
namespace {

using namespace fields;

// The last value of the wanted field, as protobuf's oneof has it; a later field of another number
// takes its place.
std::optional<WireReader> FieldOf(std::string_view attr_value, uint32_t field, WireType type) {
  std::optional<WireReader> found;
  for (WireReader r(attr_value); r.Next();) {
    if (r.field() > kAttrFunc) continue;
    found.reset();
    if (r.field() == field && r.type() == type) found = r;
  }
  return found;
}

template <typename OnItem>
bool WalkList(const std::string_view* attr, OnItem&& on_item) {
  if (attr == nullptr) return false;
  const std::optional<WireReader> list = FieldOf(*attr, kAttrList, WireType::kLength);
  if (!list) return false;
  for (WireReader r(list->Bytes()); r.Next();) on_item(r);
  return true;
}

const std::string_view* FindAttr(std::span<const Attr> attrs, std::string_view name) {
  for (auto it = attrs.rbegin(); it != attrs.rend(); ++it) {
    if (it->name == name) return &it->value;
  }
  return nullptr;
}

}  // namespace

bool TensorShape::fully_defined() const {
  if (unknown_rank) return false;
  for (const int64_t dim : dims) {
    if (dim < 0) return false;
  }
  return true;
}

std::optional<int64_t> TensorShape::elements() const {
  if (!fully_defined()) return std::nullopt;
  int64_t product = 1;
  for (const int64_t dim : dims) {
    if (__builtin_mul_overflow(product, dim, &product)) return std::nullopt;
  }
  return product;
}

TensorShape ParseTensorShape(std::string_view bytes) {
  TensorShape shape;
  for (WireReader r(bytes); r.Next();) {
    if (r.field() == kShapeUnknownRank) shape.unknown_rank = r.Bool();
    if (r.field() != kShapeDim) continue;
    int64_t size = 0;
    for (WireReader dim(r.Bytes()); dim.Next();) {
      if (dim.field() == kDimSize) size = dim.Signed();
    }
    shape.dims.push_back(size);
  }
  return shape;
}

TensorConstant ParseTensorConstant(std::string_view bytes) {
  TensorConstant tensor;
  tensor.bytes = bytes;
  for (WireReader r(bytes); r.Next();) {
    if (r.field() == kTensorDtype) tensor.type = static_cast<DataType>(r.Signed());
    if (r.field() == kTensorShape) tensor.shape = ParseTensorShape(r.Bytes());
  }
  return tensor;
}

std::optional<std::vector<int64_t>> TensorConstant::Integers(size_t limit) const {
  const std::optional<int64_t> count = shape.elements();
  const bool narrow = type == DataType::kInt32;
  if (!count || static_cast<uint64_t>(*count) > limit || (!narrow && type != DataType::kInt64)) {
    return std::nullopt;
  }
  std::vector<int64_t> values;
  for (WireReader r(bytes); r.Next();) {
    if (r.field() == (narrow ? kTensorInt : kTensorInt64)) AppendIntegers(r, values);
    if (r.field() != kTensorContent) continue;
    const std::string_view content = r.Bytes();
    const size_t width = narrow ? sizeof(int32_t) : sizeof(int64_t);
    for (size_t at = 0; at + width <= content.size(); at += width) {
      int32_t small = 0;
      int64_t large = 0;
      std::memcpy(narrow ? static_cast<void*>(&small) : &large, content.data() + at, width);
      values.push_back(narrow ? small : large);
    }
  }
  if (values.empty() && *count > 0) values.push_back(0);
  values.resize(static_cast<size_t>(*count), values.empty() ? 0 : values.back());
  return values;
}

const std::string_view* NodeDef::Find(std::string_view attr) const { return FindAttr(attrs, attr); }

std::optional<std::string_view> BytesAttr(std::span<const Attr> attrs, std::string_view name) {
  const std::string_view* value = FindAttr(attrs, name);
  if (value == nullptr) return std::nullopt;
  const auto field = FieldOf(*value, kAttrBytes, WireType::kLength);
  return field ? std::optional(field->Bytes()) : std::nullopt;
}

std::optional<std::vector<TensorShape>> ShapesAttr(std::span<const Attr> attrs,
                                                   std::string_view name) {
  std::vector<TensorShape> shapes;
  const bool found = WalkList(FindAttr(attrs, name), [&](const WireReader& r) {
    if (r.field() == kAttrShape) shapes.push_back(ParseTensorShape(r.Bytes()));
  });
  return found ? std::optional(std::move(shapes)) : std::nullopt;
}

std::optional<int64_t> NodeDef::Integer(std::string_view attr) const {
  const std::string_view* value = Find(attr);
  if (value == nullptr) return std::nullopt;
  const auto field = FieldOf(*value, kAttrInt, WireType::kVarint);
  return field ? std::optional(field->Signed()) : std::nullopt;
}

std::optional<float> NodeDef::Float(std::string_view attr) const {
  const std::string_view* value = Find(attr);
  if (value == nullptr) return std::nullopt;
  const auto field = FieldOf(*value, kAttrFloat, WireType::kFixed32);
  return field ? std::optional(field->Float()) : std::nullopt;
}

std::optional<bool> NodeDef::Bool(std::string_view attr) const {
  const std::string_view* value = Find(attr);
  if (value == nullptr) return std::nullopt;
  const auto field = FieldOf(*value, kAttrBool, WireType::kVarint);
  return field ? std::optional(field->Bool()) : std::nullopt;
}

std::optional<std::string_view> NodeDef::Bytes(std::string_view attr) const {
  return BytesAttr(attrs, attr);
}

std::optional<DataType> NodeDef::Type(std::string_view attr) const {
  const std::string_view* value = Find(attr);
  if (value == nullptr) return std::nullopt;
  const auto field = FieldOf(*value, kAttrType, WireType::kVarint);
  return field ? std::optional(static_cast<DataType>(field->Signed())) : std::nullopt;
}

std::optional<TensorShape> NodeDef::Shape(std::string_view attr) const {
  const std::string_view* value = Find(attr);
  if (value == nullptr) return std::nullopt;
  const auto field = FieldOf(*value, kAttrShape, WireType::kLength);
  return field ? std::optional(ParseTensorShape(field->Bytes())) : std::nullopt;
}

std::optional<TensorConstant> NodeDef::Tensor(std::string_view attr) const {
  const std::string_view* value = Find(attr);
  if (value == nullptr) return std::nullopt;
  const auto field = FieldOf(*value, kAttrTensor, WireType::kLength);
  return field ? std::optional(ParseTensorConstant(field->Bytes())) : std::nullopt;
}

std::optional<std::string_view> NodeDef::FunctionName(std::string_view attr) const {
  const std::string_view* value = Find(attr);
  if (value == nullptr) return std::nullopt;
  const auto field = FieldOf(*value, kAttrFunc, WireType::kLength);
  if (!field) return std::nullopt;
  for (WireReader r(field->Bytes()); r.Next();) {
    if (r.field() == 1) return r.Bytes();
  }
  return std::string_view{};
}

std::optional<std::vector<int64_t>> NodeDef::Integers(std::string_view attr) const {
  std::vector<int64_t> numbers;
  const bool found = WalkList(Find(attr), [&](const WireReader& r) {
    if (r.field() == kAttrInt) AppendIntegers(r, numbers);
  });
  return found ? std::optional(std::move(numbers)) : std::nullopt;
}

std::optional<std::vector<TensorShape>> NodeDef::Shapes(std::string_view attr) const {
  return ShapesAttr(attrs, attr);
}

std::optional<std::vector<DataType>> NodeDef::Types(std::string_view attr) const {
  std::vector<int64_t> numbers;
  const bool found = WalkList(Find(attr), [&](const WireReader& r) {
    if (r.field() == kAttrType) AppendIntegers(r, numbers);
  });
  if (!found) return std::nullopt;
  std::vector<DataType> types;
  for (const int64_t number : numbers) types.push_back(static_cast<DataType>(number));
  return types;
}

std::optional<std::vector<std::string_view>> NodeDef::BytesList(std::string_view attr) const {
  std::vector<std::string_view> items;
  const bool found = WalkList(Find(attr), [&](const WireReader& r) {
    if (r.field() == kAttrBytes) items.push_back(r.Bytes());
  });
  return found ? std::optional(std::move(items)) : std::nullopt;
}

}  // namespace stepscope
