#include "base/nearest.h"

#include <algorithm>
#include <vector>

namespace stepscope {
namespace {

// Optimal string alignment distance: insertions, deletions, changes, swaps of neighbours.
size_t Distance(std::string_view a, std::string_view b) {
  std::vector<std::vector<size_t>> d(a.size() + 1, std::vector<size_t>(b.size() + 1));
  for (size_t i = 0; i <= a.size(); ++i) d[i][0] = i;
  for (size_t j = 0; j <= b.size(); ++j) d[0][j] = j;
  for (size_t i = 1; i <= a.size(); ++i) {
    for (size_t j = 1; j <= b.size(); ++j) {
      d[i][j] = std::min(
          {d[i - 1][j] + 1, d[i][j - 1] + 1, d[i - 1][j - 1] + (a[i - 1] == b[j - 1] ? 0 : 1)});
      if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1]) {
        d[i][j] = std::min(d[i][j], d[i - 2][j - 2] + 1);
      }
    }
  }
  return d[a.size()][b.size()];
}

std::string_view WithoutDashes(std::string_view name) {
  name.remove_prefix(std::min(name.find_first_not_of('-'), name.size()));
  return name;
}

}  // namespace

std::string_view Nearest(std::string_view typed, std::span<const std::string_view> known) {
  const std::string_view bare = WithoutDashes(typed);
  if (bare.empty() || bare.size() > 64) return {};
  std::string_view best;
  size_t best_distance = bare.size() / 3 + 1;
  for (const std::string_view name : known) {
    const std::string_view other = WithoutDashes(name);
    const bool is_prefix = bare.size() >= 3 && other.starts_with(bare);
    const size_t distance = is_prefix ? 1 : Distance(bare, other);
    if (distance < best_distance || (distance == best_distance && best.empty())) {
      best = name;
      best_distance = distance;
    }
  }
  return best;
}

}  // namespace stepscope
