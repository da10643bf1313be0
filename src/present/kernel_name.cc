#include "present/kernel_name.h"

#include <algorithm>
#include <array>

namespace stepscope {
namespace {

bool IsNameChar(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_';
}

// The parameter list of a declaration starts at the first '(' outside of template arguments that
// does not open "(anonymous namespace)" and is not the very front.
std::string_view WithoutParameters(std::string_view name) {
  int depth = 0;
  for (size_t i = 0; i < name.size(); ++i) {
    if (name[i] == '<') ++depth;
    if (name[i] == '>') --depth;
    if (name[i] != '(' || depth > 0 || i == 0) continue;
    if (name.substr(i).starts_with("(anonymous namespace)")) continue;
    return name.back() == ')' ? name.substr(0, i) : name;
  }
  return name;
}

// How many bytes of qualifiers ("at::native::(anonymous namespace)::") start here, when a name
// starts here.
size_t QualifiersAt(std::string_view name, size_t at) {
  constexpr std::string_view kAnonymous = "(anonymous namespace)::";
  if (at > 0 && (IsNameChar(name[at - 1]) || name[at - 1] == ':' || name[at - 1] == ')')) return 0;
  size_t bytes = 0;
  while (true) {
    const std::string_view rest = name.substr(at + bytes);
    size_t length = 0;
    while (length < rest.size() && IsNameChar(rest[length])) ++length;
    if (length > 0 && rest.substr(length).starts_with("::")) {
      bytes += length + 2;
    } else if (rest.starts_with(kAnonymous)) {
      bytes += kAnonymous.size();
    } else {
      return bytes;
    }
  }
}

// The first template argument that is the name of something: no number, element type or container
// that hundreds of kernels share.
std::string_view TellingArgument(std::string_view arguments) {
  constexpr std::array<std::string_view, 7> kShared = {
      "BFloat16", "__nv_bfloat16",        "TensorListMetadata",         "TrivialOffsetCalculator",
      "unsigned", "PackedTensorAccessor", "GenericPackedTensorAccessor"};
  constexpr size_t kShortestName = 8;
  int depth = 0;
  size_t start = 0;
  for (size_t i = 0; i <= arguments.size(); ++i) {
    const char c = i < arguments.size() ? arguments[i] : ',';
    if (c == '<' || c == '(' || c == '{') ++depth;
    if (c == '>' || c == ')' || c == '}') --depth;
    if (c != ',' || depth > 0) continue;
    std::string_view argument = arguments.substr(start, i - start);
    argument.remove_prefix(std::min(argument.find_first_not_of(' '), argument.size()));
    start = i + 1;
    size_t length = 0;
    while (length < argument.size() && IsNameChar(argument[length])) ++length;
    const std::string_view name = argument.substr(0, length);
    const bool is_number = length > 0 && name[0] >= '0' && name[0] <= '9';
    if (length < kShortestName || is_number) continue;
    if (std::find(kShared.begin(), kShared.end(), name) == kShared.end()) return argument;
  }
  return {};
}

}  // namespace

std::string ShortKernelName(std::string_view name) {
  const bool is_function = name.starts_with("void ");
  if (is_function) name.remove_prefix(5);
  // "Memcpy HtoD (Pinned -> Device)" has brackets too, but is no declaration.
  const bool is_cpp = is_function || name.find("::") != std::string_view::npos;
  if (!is_cpp) return std::string(name);
  name = WithoutParameters(name);
  std::string out;
  int depth = 0;
  for (size_t i = 0; i < name.size();) {
    if (depth < 2) {
      if (const size_t qualifiers = QualifiersAt(name, i); qualifiers > 0) {
        i += qualifiers;
        continue;
      }
    }
    const char c = name[i++];
    if (c == '<') {
      ++depth;
      if (depth == 2) out += "<…>";
    }
    if (depth < 2 && !(c == ' ' && i < name.size() && name[i] == '>')) out += c;
    if (c == '>' && depth > 0) --depth;
  }
  return out;
}

std::string WithTellingArgument(std::string_view short_name) {
  const size_t open = short_name.find('<');
  if (open == std::string_view::npos || open == 0 || !short_name.ends_with('>')) return {};
  const std::string function(short_name.substr(0, open));
  const std::string_view arguments = short_name.substr(open + 1, short_name.size() - open - 2);
  const std::string_view telling = TellingArgument(arguments);
  if (telling.empty()) return function + "<…>";
  const bool says_nothing = function == "Kernel" || function == "Kernel2";
  return says_nothing ? std::string(telling) : function + "<" + std::string(telling) + ">";
}

}  // namespace stepscope
