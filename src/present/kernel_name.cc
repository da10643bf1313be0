#include "present/kernel_name.h"

#include <algorithm>
#include <array>

namespace stepscope {
namespace {

constexpr std::array<std::string_view, 12> kDropped = {
    "at::native::",
    "(anonymous namespace)::",
    "at::cuda::",
    "at::",
    "c10::",
    "std::",
    "cutlass::kernel::",
    "cutlass::",
    "cub::",
    "thrust::",
    "detail::",
    "internal::",
};

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

// How much of a namespace starts here, when it starts a name.
size_t DroppedAt(std::string_view name, size_t at) {
  if (at > 0 && (IsNameChar(name[at - 1]) || name[at - 1] == ':')) return 0;
  size_t dropped = 0;
  for (bool found = true; found;) {
    found = false;
    for (const std::string_view prefix : kDropped) {
      if (!name.substr(at + dropped).starts_with(prefix)) continue;
      dropped += prefix.size();
      found = true;
      break;
    }
  }
  return dropped;
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
      if (const size_t dropped = DroppedAt(name, i); dropped > 0) {
        i += dropped;
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

}  // namespace stepscope
