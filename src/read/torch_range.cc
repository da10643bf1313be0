#include "read/torch_range.h"

#include <algorithm>
#include <charconv>
#include <string>

namespace stepscope {
namespace {

// The value after "key = " up to the next ", key = ", or nothing.
std::string_view ValueOf(std::string_view text, std::string_view key) {
  const size_t at = text.find(key);
  if (at == std::string_view::npos) return {};
  text.remove_prefix(at + key.size());
  int depth = 0;
  for (size_t i = 0; i < text.size(); ++i) {
    if (text[i] == '[') ++depth;
    if (text[i] == ']') --depth;
    if (text[i] == ',' && depth <= 0) return text.substr(0, i);
  }
  return text;
}

}  // namespace

std::optional<TorchRange> TorchRangeOf(std::string_view text) {
  constexpr std::string_view kSequence = ", seq = ", kOpId = ", op_id = ", kSizes = ", sizes = ";
  const size_t end = std::min({text.find(kSequence), text.find(kOpId), text.find(kSizes)});
  if (end == std::string_view::npos) {
    if (text.starts_with("aten::")) return TorchRange{text, -1, {}};
    return std::nullopt;
  }
  TorchRange range;
  range.op = text.substr(0, end);
  const std::string_view rest = text.substr(end);
  const std::string_view sequence = ValueOf(rest, kSequence);
  std::from_chars(sequence.data(), sequence.data() + sequence.size(), range.sequence);
  range.sizes = ValueOf(rest, kSizes);
  return range;
}

OpArgs ArgsOf(const TorchRange& range, BlockWriter& out) {
  OpArgs args;
  args.sequence = range.sequence;
  if (range.sizes.empty()) return args;
  std::string sizes(range.sizes);
  std::erase(sizes, ' ');
  args.input_dims = out.Intern(sizes);
  return args;
}

}  // namespace stepscope
