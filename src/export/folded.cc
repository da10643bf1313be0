#include <fmt/format.h>

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include "export/stack_files.h"
#include "export/table_source.h"

namespace stepscope::exported {

std::string Folded(const Stacks& stacks, Weight weight) {
  std::vector<std::string> lines;
  for (uint32_t i = 1; i < stacks.nodes().size(); ++i) {
    const int64_t value = ValueOf(stacks.nodes()[i].own, weight);
    if (value == 0) continue;
    std::string line;
    for (const uint32_t node : stacks.PathOf(i)) {
      std::string frame = ValidUtf8(stacks.FrameOf(stacks.nodes()[node]));
      std::ranges::replace(frame, ';', ':');
      std::ranges::replace(frame, '\n', ' ');
      line += (line.empty() ? "" : ";") + frame;
    }
    lines.push_back(fmt::format("{} {}\n", line, value));
  }
  std::ranges::sort(lines);
  return fmt::format("{}", fmt::join(lines, ""));
}

}  // namespace stepscope::exported
