#include "trace/element_type.h"

#include <algorithm>
#include <array>
#include <utility>

namespace stepscope {
namespace {

using Size = std::pair<std::string_view, int64_t>;
constexpr auto kSizes = std::to_array<Size>({
    {"float", 4},
    {"half", 2},
    {"bfloat16", 2},
    {"double", 8},
    {"int", 4},
    {"long", 8},
    {"short", 2},
    {"char", 1},
    {"byte", 1},
    {"bool", 1},
    {"complexfloat", 8},
    {"complexdouble", 16},
    {"float32", 4},
    {"float16", 2},
    {"float64", 8},
    {"int32", 4},
    {"int64", 8},
    {"int16", 2},
    {"int8", 1},
    {"uint8", 1},
    {"long int", 8},
    {"signed char", 1},
    {"unsigned char", 1},
    {"short int", 2},
    {"f32", 4},
    {"f16", 2},
    {"bf16", 2},
    {"f64", 8},
    {"s32", 4},
    {"s64", 8},
    {"s8", 1},
    {"u8", 1},
    {"u32", 4},
    {"pred", 1},
    {"complex64", 8},
    {"complex128", 16},
});

char Lower(char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c; }

}  // namespace

int64_t ElementBytes(std::string_view dtype) {
  if (dtype.starts_with("c10::")) dtype.remove_prefix(5);
  for (const auto& [name, bytes] : kSizes) {
    const auto same = [](char a, char b) { return a == Lower(b); };
    if (std::ranges::equal(name, dtype, same)) return bytes;
  }
  constexpr std::string_view kFloat8 = "float8_";
  const bool eight = dtype.size() > kFloat8.size() &&
                     std::ranges::equal(kFloat8, dtype.substr(0, kFloat8.size()),
                                        [](char a, char b) { return a == Lower(b); });
  return eight || dtype.starts_with("f8") ? 1 : 0;
}

}  // namespace stepscope
