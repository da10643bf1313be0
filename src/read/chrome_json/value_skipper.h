#pragma once

#include <cstdint>
#include <string_view>

namespace stepscope::chrome_json {

// Walks over one JSON value that comes in pieces of any size, without keeping it. Depth is counted,
// not followed: nesting costs nothing.
class ValueSkipper {
 public:
  // Feeds the next piece. True when the value ended in it; used() bytes of the piece belong to it.
  // The white space before a value must have been skipped.
  bool Feed(std::string_view piece);
  size_t used() const { return used_; }

 private:
  enum class State : uint8_t { kStart, kScalar, kNested, kString, kEscape };

  State state_ = State::kStart;
  int64_t depth_ = 0;
  size_t used_ = 0;
};

}  // namespace stepscope::chrome_json
