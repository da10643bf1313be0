#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

#include "trace/name_patterns.h"

namespace stepscope {

// Finds all patterns in a name in one pass over its characters, however many patterns there are
// (Aho-Corasick with the answers of all suffixes folded into each state). Immutable after
// construction, safe to use from many threads.
class NameMatcher {
 public:
  explicit NameMatcher(std::span<const NamePattern> patterns);

  struct Match {
    uint32_t facts = 0;
    uint16_t first = kNoPattern;  // the first pattern of the table, among those with a category
  };
  static constexpr uint16_t kNoPattern = 0xFFFF;
  Match Find(std::string_view name) const;

 private:
  // Characters that no pattern has share class 0.
  uint8_t ClassOf(char c) const { return class_of_[static_cast<uint8_t>(c)]; }
  uint16_t& Next(uint16_t state, uint8_t character) { return next_[state * classes_ + character]; }
  uint16_t Next(uint16_t state, uint8_t character) const {
    return next_[state * classes_ + character];
  }
  void AddPattern(const NamePattern& pattern, uint16_t index);
  void LinkSuffixes();
  static void Fold(Match& into, const Match& from);

  std::array<uint8_t, 256> class_of_{};
  uint8_t begin_class_ = 0;
  uint8_t end_class_ = 0;
  size_t classes_ = 0;
  std::vector<uint16_t> next_;  // by state and class; while building 0 means: no such child
  std::vector<Match> found_;    // by state
};

}  // namespace stepscope
