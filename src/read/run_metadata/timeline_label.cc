#include "read/run_metadata/timeline_label.h"

namespace stepscope {
namespace {

constexpr std::string_view kEquals = " = ";

std::vector<std::string_view> SplitInputs(std::string_view text) {
  constexpr std::string_view kSeparator = ", ";
  std::vector<std::string_view> inputs;
  while (!text.empty()) {
    const size_t end = text.find(kSeparator);
    inputs.push_back(text.substr(0, end));
    if (end == std::string_view::npos) break;
    text.remove_prefix(end + kSeparator.size());
    if (text.empty()) inputs.emplace_back();
  }
  return inputs;
}

}  // namespace

// Greedy from the left: the last " = " that an "Op(…)" follows, its last '(' that a ')' follows.
OpLabel ParseOpLabel(std::string_view label) {
  label = label.substr(0, label.find('\n'));
  const size_t close = label.rfind(')');
  if (close == std::string_view::npos || close == 0) return {};
  const size_t open = label.rfind('(', close - 1);
  if (open == std::string_view::npos || open < kEquals.size()) return {};
  const size_t equals = label.rfind(kEquals, open - kEquals.size());
  if (equals == std::string_view::npos) return {};
  const size_t op = equals + kEquals.size();
  return {label.substr(0, equals), label.substr(op, open - op),
          SplitInputs(label.substr(open + 1, close - open - 1))};
}

KernelLabel ParseKernelLabel(std::string_view label, std::string_view node_name) {
  const size_t start = label.find("@@");
  const size_t end = label.find('#');
  if (start != std::string_view::npos && end != std::string_view::npos && start + 2 < end) {
    node_name = label.substr(start + 2, end - start - 2);
  }
  const size_t colon = node_name.find(':');
  if (colon == std::string_view::npos) return {node_name};
  const std::string_view op = node_name.substr(colon + 1);
  return {node_name.substr(0, colon), op.substr(0, op.find(':'))};
}

}  // namespace stepscope
