#include "diff/kernel_family.h"

#include <algorithm>
#include <array>
#include <cctype>

namespace stepscope::diff {
namespace {

constexpr std::string_view kAnonymous = "(anonymous namespace)";

bool IsDigit(char c) { return c >= '0' && c <= '9'; }
bool IsHex(char c) { return IsDigit(c) || (c >= 'a' && c <= 'f') || (c >= 'A' && c <= 'F'); }

// Everything in balanced <> and, at the first top-level '(', the rest. A name that is no C++
// declaration ("Memcpy HtoD (Pinned -> Device)") keeps its brackets.
std::string WithoutArguments(std::string_view name, bool is_cpp) {
  std::string out;
  int depth = 0;
  for (size_t i = 0; i < name.size(); ++i) {
    if (name.substr(i).starts_with(kAnonymous)) {
      i += kAnonymous.size() - 1;
      if (name.substr(i + 1).starts_with("::")) i += 2;
      continue;
    }
    const char c = name[i];
    const bool arrow = c == '>' && i > 0 && name[i - 1] == '-';
    if (is_cpp && c == '<') {
      ++depth;
    } else if (is_cpp && c == '>' && !arrow) {
      depth = std::max(0, depth - 1);
    } else if (is_cpp && c == '(' && depth == 0) {
      break;
    } else if (depth == 0) {
      out += c;
    }
  }
  return out;
}

// The element type a matrix kernel's name carries.
std::string_view TypeIn(std::string_view name) {
  constexpr std::array<std::string_view, 12> kTypes = {
      "bf16", "f16", "fp16", "tf32", "f32", "fp32", "f64", "e4m3", "e5m2", "s8", "half", "sgemm"};
  for (const std::string_view type : kTypes) {
    if (name.find(type) != std::string_view::npos) return type;
  }
  return "any";
}

bool IsMatrixTile(std::string_view name) {
  constexpr std::array<std::string_view, 7> kMarks = {
      "xmma_gemm", "cutlass", "nvjet", "s16816gemm", "Cijk_", "sgemm", "h884gemm"};
  return std::any_of(kMarks.begin(), kMarks.end(), [&](std::string_view mark) {
    return name.find(mark) != std::string_view::npos;
  });
}

// Whether a hash of at least eight hex digits, letters among them, stands here.
size_t HashAt(std::string_view name, size_t at) {
  if (at > 0 && name[at - 1] != '_' && name[at - 1] != '.') return 0;
  size_t length = 0;
  bool letter = false, digit = false;
  while (at + length < name.size() && IsHex(name[at + length])) {
    (IsDigit(name[at + length]) ? digit : letter) = true;
    ++length;
  }
  const bool ends =
      at + length == name.size() || name[at + length] == '_' || name[at + length] == '.';
  return length >= 8 && letter && digit && ends ? length : 0;
}

}  // namespace

std::string BaseName(std::string_view kernel) {
  const bool is_cpp = kernel.starts_with("void ") || kernel.find("::") != std::string_view::npos ||
                      kernel.find('<') != std::string_view::npos;
  std::string name = WithoutArguments(kernel, is_cpp);
  if (is_cpp) {
    // What stands before the last blank is a return type.
    while (!name.empty() && name.back() == ' ') name.pop_back();
    if (const size_t blank = name.rfind(' '); blank != std::string::npos) name.erase(0, blank + 1);
  }
  for (const std::string_view suffix : {".clone", ".kd"}) {
    if (const size_t at = name.find(suffix); at != std::string::npos) name.erase(at);
  }
  return name.empty() ? std::string(kernel) : name;
}

std::string FamilyName(std::string_view kernel) {
  const std::string base = BaseName(kernel);
  if (IsMatrixTile(base)) return "gemm[" + std::string(TypeIn(kernel)) + "]";
  std::string out;
  for (size_t i = 0; i < base.size();) {
    if (const size_t hash = HashAt(base, i); hash > 0) {
      i += hash;
      continue;
    }
    if (!IsDigit(base[i])) {
      out += base[i++];
      continue;
    }
    while (i < base.size() && IsDigit(base[i])) ++i;
    out += '#';
  }
  while (out.ends_with("_#") || out.ends_with(".#")) out.resize(out.size() - 2);
  while (out.ends_with('_') || out.ends_with('.')) out.pop_back();
  return out.empty() ? base : out;
}

std::string RolledUp(std::string_view path) {
  std::string out;
  for (size_t i = 0; i < path.size();) {
    const bool begins = i == 0 || path[i - 1] == '.' || path[i - 1] == '_' || path[i - 1] == '/';
    size_t end = i;
    while (end < path.size() && IsDigit(path[end])) ++end;
    const bool ends =
        end == path.size() || path[end] == '.' || path[end] == '/' || path[end] == ' ';
    if (end > i && begins && ends) {
      out += '*';
      i = end;
    } else if (end > i) {
      out += path.substr(i, end - i);
      i = end;
    } else {
      out += path[i++];
    }
  }
  return out;
}

}  // namespace stepscope::diff
