#include "trace/name_matcher.h"

#include <algorithm>

namespace stepscope {
namespace {

char Lower(char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c; }

}  // namespace

NameMatcher::NameMatcher(std::span<const NamePattern> patterns) {
  // '^' and '$' are borders in patterns and ordinary, unmatched characters in names.
  std::array<bool, 256> occurs{};
  for (const NamePattern& pattern : patterns) {
    for (const char c : pattern.text) occurs[static_cast<uint8_t>(c)] = true;
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
  for (size_t i = 0; i < patterns.size(); ++i) AddPattern(patterns[i], static_cast<uint16_t>(i));
  LinkSuffixes();
  class_of_['^'] = class_of_['$'] = 0;
  for (char c = 'A'; c <= 'Z'; ++c) class_of_[static_cast<uint8_t>(c)] = ClassOf(Lower(c));
}

void NameMatcher::AddPattern(const NamePattern& pattern, uint16_t index) {
  uint16_t state = 0;
  for (const char c : pattern.text) {
    if (Next(state, ClassOf(c)) == 0) {
      Next(state, ClassOf(c)) = static_cast<uint16_t>(found_.size());
      found_.emplace_back();
      next_.resize(next_.size() + classes_, 0);
    }
    state = Next(state, ClassOf(c));
  }
  const bool has_category = pattern.category != KernelCategory::kOther;
  Fold(found_[state], {pattern.facts, has_category ? index : kNoPattern});
}

void NameMatcher::LinkSuffixes() {
  // Breadth first: a state's longest proper suffix is shallower, so it is complete already.
  std::vector<uint16_t> suffix(found_.size(), 0);
  std::vector<uint16_t> order{0};
  for (size_t at = 0; at < order.size(); ++at) {
    const uint16_t state = order[at];
    for (size_t c = 0; c < classes_; ++c) {
      const auto character = static_cast<uint8_t>(c);
      const uint16_t child = Next(state, character);
      const uint16_t beside = state == 0 ? 0 : Next(suffix[state], character);
      if (child == 0) {
        Next(state, character) = beside;
        continue;
      }
      suffix[child] = beside;
      Fold(found_[child], found_[beside]);
      order.push_back(child);
    }
  }
}

void NameMatcher::Fold(Match& into, const Match& from) {
  into.facts |= from.facts;
  into.first = std::min(into.first, from.first);
}

NameMatcher::Match NameMatcher::Find(std::string_view name) const {
  Match match;
  uint16_t state = Next(0, begin_class_);
  for (const char c : name) {
    state = Next(state, ClassOf(c));
    Fold(match, found_[state]);
  }
  Fold(match, found_[Next(state, end_class_)]);
  return match;
}

}  // namespace stepscope
