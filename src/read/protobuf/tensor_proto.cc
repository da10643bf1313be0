#include "read/protobuf/tensor_proto.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstring>

#include "read/protobuf/walk.h"
#include "read/protobuf/wire.h"

namespace stepscope {
namespace {

// Field numbers of tensorflow.TensorProto.
enum Field : uint32_t {
  kDtype = 1,
  kShape = 2,
  kContent = 4,
  kFloatVal = 5,
  kDoubleVal = 6,
  kIntVal = 7,
  kStringVal = 8,
  kComplexVal = 9,
  kInt64Val = 10,
  kBoolVal = 11,
  kDcomplexVal = 12,
  kHalfVal = 13,
  kUint32Val = 16,
  kUint64Val = 17,
};

double FromHalf(uint16_t bits) {
  const int exponent = (bits >> 10) & 0x1f;
  const int fraction = bits & 0x3ff;
  const double sign = (bits & 0x8000) != 0 ? -1.0 : 1.0;
  if (exponent == 0x1f) return fraction != 0 ? std::nan("") : sign * HUGE_VAL;
  if (exponent == 0) return sign * std::ldexp(fraction, -24);
  return sign * std::ldexp(fraction + 1024, exponent - 25);
}
double FromBfloat16(uint16_t bits) {
  return std::bit_cast<float>(static_cast<uint32_t>(bits) << 16);
}

// Gathers numbers up to a limit.
class Numbers {
 public:
  explicit Numbers(size_t limit) : limit_(limit) {}
  bool full() const { return values.size() >= limit_; }
  void Add(double value) {
    if (!full()) values.push_back(value);
  }
  template <typename T>
  void AddPacked(std::string_view bytes) {
    for (; bytes.size() >= sizeof(T) && !full(); bytes.remove_prefix(sizeof(T))) {
      T value;
      std::memcpy(&value, bytes.data(), sizeof value);
      Add(static_cast<double>(value));
    }
  }
  void AddPacked16(std::string_view bytes, double (*convert)(uint16_t)) {
    for (; bytes.size() >= 2 && !full(); bytes.remove_prefix(2)) {
      uint16_t bits;
      std::memcpy(&bits, bytes.data(), sizeof bits);
      Add(convert(bits));
    }
  }

  std::vector<double> values;

 private:
  size_t limit_;
};

void AddContent(DataType type, std::string_view content, Numbers& numbers) {
  switch (type) {
    case DataType::kFloat:
    case DataType::kComplex64:
      return numbers.AddPacked<float>(content);
    case DataType::kDouble:
    case DataType::kComplex128:
      return numbers.AddPacked<double>(content);
    case DataType::kInt32:
      return numbers.AddPacked<int32_t>(content);
    case DataType::kUint8:
    case DataType::kBool:
      return numbers.AddPacked<uint8_t>(content);
    case DataType::kInt16:
      return numbers.AddPacked<int16_t>(content);
    case DataType::kInt8:
      return numbers.AddPacked<int8_t>(content);
    case DataType::kInt64:
      return numbers.AddPacked<int64_t>(content);
    case DataType::kUint16:
      return numbers.AddPacked<uint16_t>(content);
    case DataType::kUint32:
      return numbers.AddPacked<uint32_t>(content);
    case DataType::kUint64:
      return numbers.AddPacked<uint64_t>(content);
    case DataType::kBfloat16:
      return numbers.AddPacked16(content, FromBfloat16);
    case DataType::kHalf:
      return numbers.AddPacked16(content, FromHalf);
    default:  // strings, resources and packed small types hold no plain numbers
      return;
  }
}

double FromVarint(DataType type, uint64_t raw) {
  if (type == DataType::kHalf) return FromHalf(static_cast<uint16_t>(raw));
  if (type == DataType::kBfloat16) return FromBfloat16(static_cast<uint16_t>(raw));
  if (type == DataType::kUint64) return static_cast<double>(raw);
  return static_cast<double>(static_cast<int64_t>(raw));
}

void AddIntegers(DataType type, const WireReader& field, Numbers& numbers) {
  std::vector<int64_t> integers;
  AppendIntegers(field, integers);
  for (const int64_t value : integers) numbers.Add(FromVarint(type, static_cast<uint64_t>(value)));
}

void AddValues(const TensorProto& tensor, Numbers& numbers) {
  for (WireReader r(tensor.message); r.Next() && !numbers.full();) {
    const bool packed = r.type() == WireType::kLength;
    switch (r.field()) {
      case kFloatVal:
      case kComplexVal:
        packed ? numbers.AddPacked<float>(r.Bytes()) : numbers.Add(r.Float());
        break;
      case kDoubleVal:
      case kDcomplexVal:
        packed ? numbers.AddPacked<double>(r.Bytes()) : numbers.Add(r.Double());
        break;
      case kIntVal:
      case kInt64Val:
      case kBoolVal:
      case kHalfVal:
      case kUint32Val:
      case kUint64Val:
        AddIntegers(tensor.type, r, numbers);
        break;
      default:
        break;
    }
  }
}

std::vector<int64_t> ParseShape(std::string_view message, bool& ok) {
  std::vector<int64_t> shape;
  WireReader r(message);
  while (r.Next()) {
    if (r.field() != 2) continue;
    int64_t size = 0;
    WireReader dim(r.Bytes());
    while (dim.Next()) {
      if (dim.field() == 1) size = dim.Signed();
    }
    ok &= dim.ok();
    shape.push_back(size);
  }
  ok &= r.ok();
  return shape;
}

}  // namespace

bool IsFloating(DataType type) {
  return type == DataType::kFloat || type == DataType::kDouble || type == DataType::kHalf ||
         type == DataType::kBfloat16 || type == DataType::kComplex64 ||
         type == DataType::kComplex128;
}

std::optional<uint64_t> TensorProto::size() const {
  uint64_t product = 1;
  for (const int64_t dim : shape) {
    if (dim < 0 || (dim > 0 && product > (uint64_t{1} << 48) / static_cast<uint64_t>(dim))) {
      return std::nullopt;
    }
    product *= static_cast<uint64_t>(dim);
  }
  return product;
}

TensorProto ParseTensorProto(std::string_view message) {
  TensorProto tensor;
  tensor.message = message;
  WireReader r(message);
  while (r.Next()) {
    switch (r.field()) {
      case kDtype:
        tensor.type = static_cast<DataType>(r.Unsigned() & 0x7f);
        break;
      case kShape:
        tensor.shape = ParseShape(r.Bytes(), tensor.ok);
        break;
      case kContent:
        tensor.content = r.Bytes();
        break;
      default:
        break;
    }
  }
  tensor.ok &= r.ok();
  return tensor;
}

std::vector<double> StoredNumbers(const TensorProto& tensor, size_t limit) {
  Numbers numbers(limit);
  if (tensor.content.empty()) {
    AddValues(tensor, numbers);
  } else {
    AddContent(tensor.type, tensor.content, numbers);
  }
  return std::move(numbers.values);
}

std::vector<double> NumbersOf(const TensorProto& tensor, size_t limit) {
  const uint64_t parts =
      tensor.type == DataType::kComplex64 || tensor.type == DataType::kComplex128 ? 2 : 1;
  const uint64_t wanted = std::min<uint64_t>(limit, tensor.size().value_or(limit / parts) * parts);
  std::vector<double> numbers = StoredNumbers(tensor, wanted);
  const bool repeats = tensor.content.empty() && !numbers.empty() && tensor.size().has_value();
  if (repeats) numbers.resize(wanted, numbers.back());
  return numbers;
}

std::vector<std::string_view> StringsOf(const TensorProto& tensor) {
  std::vector<std::string_view> strings;
  for (WireReader r(tensor.message); r.Next();) {
    if (r.field() == kStringVal) strings.push_back(r.Bytes());
  }
  return strings;
}

}  // namespace stepscope
