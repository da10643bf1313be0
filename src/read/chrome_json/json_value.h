#pragma once

#include <string>
#include <string_view>

#include "read/chrome_json/raw_event.h"

namespace stepscope::chrome_json {

// Walks the members of one JSON object or the items of one array, given as text. For the small
// parts of a file (device properties, counters); the event list has its own parser. Stops at the
// first fault. No allocation, no recursion: nested values are further walks.
//
//   for (JsonWalk walk(text); walk.Next();) if (walk.Is("rank")) rank =
//   ParseInteger(walk.scalar());
class JsonWalk {
 public:
  explicit JsonWalk(std::string_view container);

  bool Next();
  const Text& key() const { return key_; }  // empty in arrays
  bool Is(std::string_view name) const { return key_.view() == name; }
  // The value as spelt, with quotation marks, brackets and all.
  std::string_view value() const { return value_; }
  // The inside of a string, or a number or word as spelt; empty for arrays and objects.
  std::string_view scalar() const;
  // The inside of a string with escapes resolved and UTF-8 repaired.
  std::string String() const;

 private:
  void SkipSpace();
  bool Stop();

  std::string_view rest_;
  bool object_ = false;
  Text key_;
  std::string_view value_;
};

// Bytes of the JSON value at the start of `text` (no white space before it); npos when it does not
// end within.
size_t ValueLength(std::string_view text);

}  // namespace stepscope::chrome_json
