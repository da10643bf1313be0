#pragma once

#include <charconv>
#include <cstdint>
#include <optional>
#include <string_view>

namespace stepscope {

// An output of an op as graphs write it: "name:slot".
struct TensorName {
  std::string_view op;
  int64_t slot = 0;
};

// nullopt for control inputs ("^name"), which carry no tensor.
inline std::optional<TensorName> ParseTensorName(std::string_view text) {
  if (text.starts_with('^')) return std::nullopt;
  const size_t colon = text.rfind(':');
  if (colon == std::string_view::npos) return TensorName{text, 0};
  TensorName name{text.substr(0, colon), 0};
  std::from_chars(text.data() + colon + 1, text.data() + text.size(), name.slot);
  return name;
}

// Ops that only hand in a value from outside of the graph.
inline bool IsArgument(std::string_view op_type) {
  return op_type.starts_with("Placeholder") || op_type == "_Arg" || op_type == "Arg";
}

}  // namespace stepscope
