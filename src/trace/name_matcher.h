#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <span>
#include <string_view>
#include <utility>
#include <vector>

namespace stepscope {

enum class LetterCase : uint8_t { kMatters, kIgnored };

// Finds all patterns in a name in one pass over its characters, however many patterns there are
// (Aho-Corasick with the answers of all suffixes folded into each state). A pattern is a piece of a
// name, in which '^' stands for its beginning and '$' for its end; where the case of letters is
// ignored, patterns are in lower case. What a name says is the join (|=) of what its patterns say.
// Immutable after construction, safe to use from many threads.
template <typename Facts>
class NameMatcher {
 public:
  using Pattern = std::pair<std::string_view, Facts>;

  NameMatcher(std::span<const Pattern> patterns, LetterCase letter_case) {
    // '^' and '$' are borders in patterns and ordinary, unmatched characters in names.
    std::array<bool, 256> occurs{};
    for (const Pattern& pattern : patterns) {
      for (const char c : pattern.first) occurs[static_cast<uint8_t>(c)] = true;
    }
    uint8_t classes = 1;
    for (size_t c = 0; c < occurs.size(); ++c) {
      if (occurs[c]) class_of_[c] = classes++;
    }
    begin_class_ = ClassOf('^');
    end_class_ = ClassOf('$');
    classes_ = classes;
    next_.assign(classes_, 0);
    found_.resize(1);
    for (const Pattern& pattern : patterns) AddPattern(pattern);
    LinkSuffixes();
    class_of_['^'] = class_of_['$'] = 0;
    for (char c = 'A'; letter_case == LetterCase::kIgnored && c <= 'Z'; ++c) {
      class_of_[static_cast<uint8_t>(c)] = ClassOf(static_cast<char>(c - 'A' + 'a'));
    }
  }

  Facts Find(std::string_view name) const {
    Facts facts{};
    uint16_t state = Next(0, begin_class_);
    for (const char c : name) {
      state = Next(state, ClassOf(c));
      facts |= found_[state];
    }
    facts |= found_[Next(state, end_class_)];
    return facts;
  }

 private:
  // Characters that no pattern has share class 0.
  uint8_t ClassOf(char c) const { return class_of_[static_cast<uint8_t>(c)]; }
  uint16_t& Next(uint16_t state, uint8_t character) { return next_[state * classes_ + character]; }
  uint16_t Next(uint16_t state, uint8_t character) const {
    return next_[state * classes_ + character];
  }

  void AddPattern(const Pattern& pattern) {
    uint16_t state = 0;
    for (const char c : pattern.first) {
      if (Next(state, ClassOf(c)) == 0) {
        Next(state, ClassOf(c)) = static_cast<uint16_t>(found_.size());
        found_.emplace_back();
        next_.resize(next_.size() + classes_, 0);
      }
      state = Next(state, ClassOf(c));
    }
    found_[state] |= pattern.second;
  }

  void LinkSuffixes() {
    // Breadth first: a state's longest proper suffix is shallower, so it is complete already.
    std::vector<uint16_t> suffix(found_.size(), 0);
    std::vector<uint16_t> order{0};
    for (size_t at = 0; at < order.size(); ++at) {
      const uint16_t state = order[at];
      for (size_t c = 0; c < classes_; ++c) {
        const auto character = static_cast<uint8_t>(c);
        const uint16_t child = Next(state, character);
        const uint16_t beside = state == 0 ? uint16_t{0} : Next(suffix[state], character);
        if (child == 0) {
          Next(state, character) = beside;
          continue;
        }
        suffix[child] = beside;
        found_[child] |= found_[beside];
        order.push_back(child);
      }
    }
  }

  std::array<uint8_t, 256> class_of_{};
  uint8_t begin_class_ = 0;
  uint8_t end_class_ = 0;
  size_t classes_ = 0;
  std::vector<uint16_t> next_;  // by state and class; while building 0 means: no such child
  std::vector<Facts> found_;    // by state
};

}  // namespace stepscope
