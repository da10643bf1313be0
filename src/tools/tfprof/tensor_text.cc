#include "tools/tfprof/tensor_text.h"

#include <fmt/core.h>

#include <cstdlib>
#include <cstring>

namespace stepscope::tfprof {
namespace {

constexpr size_t kMostShown = 10'000;
constexpr size_t kMostRank = 254;

template <typename T>
T ElementAt(std::string_view values, size_t index) {
  T value{};
  if ((index + 1) * sizeof(T) <= values.size()) {
    std::memcpy(&value, values.data() + index * sizeof(T), sizeof(T));
  }
  return value;
}

class Writer {
 public:
  Writer(DataType type, const TensorShape& shape, std::string_view values)
      : type_(type), shape_(shape), values_(values) {}

  std::string Write() {
    Bracket(0);
    if (text_.size() >= kMostShown) text_ += "...omitted from display\n\n";
    return std::move(text_);
  }

 private:
  void Bracket(size_t depth) {
    text_ += '[';
    if (shape_.dims.empty()) {
      Element();
    } else {
      for (int64_t i = 0; i < shape_.dims[depth]; ++i) {
        if (depth + 1 == shape_.dims.size()) {
          Element();
        } else {
          Bracket(depth + 1);
        }
      }
    }
    if (text_.size() > kMostShown) text_.resize(kMostShown);
    text_ += "],\n";
  }

  void Element() {
    const size_t index = next_++;
    if (text_.size() > 2 * kMostShown) return;  // cut away at the end of the bracket in any case
    switch (type_) {
      case DataType::kFloat:
        return Real(ElementAt<float>(values_, index));
      case DataType::kDouble:
        return Real(ElementAt<double>(values_, index));
      case DataType::kInt32:
        return Whole(ElementAt<int32_t>(values_, index));
      default:
        return Whole(ElementAt<int64_t>(values_, index));
    }
  }

  // Goes through six significant digits first, as tfprof does.
  void Real(double value) {
    text_ += fmt::format("{:.2f} ", std::strtod(fmt::format("{:g}", value).c_str(), nullptr));
  }
  void Whole(int64_t value) { text_ += fmt::format("{} ", value); }

  const DataType type_;
  const TensorShape& shape_;
  const std::string_view values_;
  size_t next_ = 0;
  std::string text_;
};

}  // namespace

std::string FormatTensor(DataType type, const TensorShape& shape, std::string_view values) {
  const bool printed = type == DataType::kFloat || type == DataType::kDouble ||
                       type == DataType::kInt32 || type == DataType::kInt64;
  const std::optional<int64_t> elements = shape.elements();
  // A shape that claims more than is stored would only repeat zeros.
  if (!printed || !elements || shape.dims.size() > kMostRank ||
      static_cast<uint64_t>(*elements) > values.size()) {
    return {};
  }
  return Writer(type, shape, values).Write();
}

}  // namespace stepscope::tfprof
