#pragma once

#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

namespace stepscope {

// tensorflow.DataType, as far as readers look at values.
enum class DataType : uint8_t {
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
  kBfloat16 = 14,
  kUint16 = 17,
  kComplex128 = 18,
  kHalf = 19,
  kUint32 = 22,
  kUint64 = 23,
};
std::string_view NameOf(DataType type);  // "float32", "string" …; "dtype" for what is not listed
bool IsFloating(DataType type);

// A serialized tensorflow.TensorProto, read without copying: views into the message.
struct TensorProto {
  DataType type = DataType::kInvalid;
  std::vector<int64_t> shape;
  std::string_view content;  // tensor_content: packed little-endian values
  std::string_view message;  // all of it, for the typed *_val fields
  bool ok = true;            // false: the message is damaged from some point on

  // Product of the shape; nullopt when a dimension is unknown or the product absurd.
  std::optional<uint64_t> size() const;
};

TensorProto ParseTensorProto(std::string_view message);
// At most `limit` numbers as doubles (complex ones give their real part, then the imaginary one).
// The last stored value stands for all that are not stored, as TensorFlow reads it. Empty for
// strings.
std::vector<double> NumbersOf(const TensorProto& tensor, size_t limit);
std::vector<std::string_view> StringsOf(const TensorProto& tensor);

}  // namespace stepscope
