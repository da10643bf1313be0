#include "read/chrome_json/border.h"

#include <cstdint>
#include <cstring>
#include <string_view>

namespace stepscope::chrome_json {
namespace {

const char* SkipSpace(const char* at, const char* end) {
  while (at < end && static_cast<uint8_t>(*at) <= ' ') ++at;
  return at;
}

// Where the next event begins when `at` is the brace that ends one; nullptr otherwise.
const char* NextEvent(const char* brace, const char* end) {
  const char* at = SkipSpace(brace + 1, end);
  if (at == end || *at != ',') return nullptr;
  at = SkipSpace(at + 1, end);
  if (at == end || *at != '{') return nullptr;
  const char* const quote = SkipSpace(at + 1, end);
  return quote != end && *quote == '"' ? at : nullptr;
}

// The place after an object that begins at `at`, or nullptr when it does not end here.
const char* SkipObject(const char* at, const char* end) {
  int64_t depth = 0;
  for (bool in_string = false; at < end; ++at) {
    if (in_string) {
      if (*at == '\\') {
        ++at;
      } else if (*at == '"') {
        in_string = false;
      }
    } else if (*at == '"') {
      in_string = true;
    } else if (*at == '{' || *at == '[') {
      ++depth;
    } else if ((*at == '}' || *at == ']') && --depth <= 0) {
      return at + 1;
    }
  }
  return nullptr;
}

size_t LastBrace(std::string_view text) {
  const void* const found = memrchr(text.data(), '}', text.size());
  if (found == nullptr) return std::string_view::npos;
  return static_cast<size_t>(static_cast<const char*>(found) - text.data());
}

}  // namespace

const char* FindEventBorder(const char* at, const char* end) {
  while (at < end) {
    at = static_cast<const char*>(std::memchr(at, '}', static_cast<size_t>(end - at)));
    if (at == nullptr) return end;
    if (const char* const next = NextEvent(at, end)) return next;
    ++at;
  }
  return end;
}

void BorderGuess::Learn(std::span<const char> text) {
  separator_.clear();
  const char* const end = text.data() + text.size();
  const char* const first = SkipSpace(text.data(), end);
  if (first == end || *first != '{') return;
  const char* const behind = SkipObject(first, end);
  if (behind == nullptr) return;
  if (const char* const next = NextEvent(behind - 1, end)) {
    separator_.assign(behind - 1, SkipSpace(next + 1, end) + 1);
  }
}

size_t BorderGuess::Last(std::span<const char> text) const {
  const std::string_view view(text.data(), text.size());
  const char* const end = text.data() + text.size();
  // First tries the separator of this file, then any.
  if (!separator_.empty()) {
    for (size_t at = LastBrace(view); at != std::string_view::npos;
         at = LastBrace(view.substr(0, at))) {
      if (view.substr(at).starts_with(separator_)) return at + separator_.find('{');
    }
  }
  for (size_t at = LastBrace(view); at != std::string_view::npos;
       at = LastBrace(view.substr(0, at))) {
    if (const char* const next = NextEvent(text.data() + at, end)) {
      return static_cast<size_t>(next - text.data());
    }
  }
  return 0;
}

}  // namespace stepscope::chrome_json
