#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace stepscope::diff {

struct SourceLine {
  std::string file;
  int64_t line = 0;
};

// The file and line of a frame as profiles spell it: "train.py(31): main", "train.py:31".
std::optional<SourceLine> SourceLineOf(std::string_view frame);

}  // namespace stepscope::diff
