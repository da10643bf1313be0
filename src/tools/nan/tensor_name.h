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

// Ops that run another graph and hand out what it returns.
inline bool RunsGraph(std::string_view op_type) {
  return op_type.ends_with("PartitionedCall") || op_type == "If" || op_type == "StatelessIf" ||
         op_type == "Case" || op_type == "StatelessCase" || op_type == "While" ||
         op_type == "StatelessWhile";
}

// Ops that hand on what they get.
inline bool PassesOn(std::string_view op_type) {
  return op_type.starts_with("Identity") || op_type == "StopGradient" || op_type == "Snapshot";
}

// Ops that only hand in a value from outside of the graph.
inline bool IsArgument(std::string_view op_type) {
  return op_type.starts_with("Placeholder") || op_type == "_Arg" || op_type == "Arg";
}

}  // namespace stepscope
