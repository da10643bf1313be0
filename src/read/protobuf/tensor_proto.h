#pragma once

#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

#include "read/graph_def/graph_def.h"

namespace stepscope {

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
// The numbers that are stored, as doubles; nothing is repeated.
std::vector<double> StoredNumbers(const TensorProto& tensor, size_t limit);
// At most `limit` numbers as doubles (complex ones give their real part, then the imaginary one).
// The last stored value stands for all that are not stored, as TensorFlow reads it. Empty for
// strings.
std::vector<double> NumbersOf(const TensorProto& tensor, size_t limit);
std::vector<std::string_view> StringsOf(const TensorProto& tensor);

}  // namespace stepscope
