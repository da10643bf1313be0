#pragma once

#include <algorithm>
#include <cstddef>
#include <iterator>
#include <span>
#include <vector>

namespace stepscope {

// Sorts what consists of a few ascending runs, as rows of profiles do (all ops of a thread, then
// all its runtime calls, …): O(n log runs), one buffer of n. Sorted input costs one comparison an
// item. `less` must be a total order, so that the result does not depend on the method.
template <typename T, typename Less>
void SortRuns(std::vector<T>& items, Less less) {
  std::vector<size_t> borders{0};
  for (size_t i = 1; i < items.size(); ++i) {
    if (less(items[i], items[i - 1])) borders.push_back(i);
  }
  if (borders.size() == 1) return;
  constexpr size_t kShortestMeanRun = 8;
  if (borders.size() > items.size() / kShortestMeanRun) {
    std::sort(items.begin(), items.end(), less);
    return;
  }
  borders.push_back(items.size());
  std::vector<T> merged;
  merged.reserve(items.size());
  while (borders.size() > 2) {
    std::vector<size_t> next{0};
    merged.clear();
    const auto at = [&](size_t run) {
      return items.begin() + static_cast<ptrdiff_t>(borders[run]);
    };
    size_t run = 0;
    for (; run + 2 < borders.size(); run += 2) {
      std::merge(at(run), at(run + 1), at(run + 1), at(run + 2), std::back_inserter(merged), less);
      next.push_back(merged.size());
    }
    if (run + 1 < borders.size()) {
      merged.insert(merged.end(), at(run), items.end());
      next.push_back(merged.size());
    }
    items.swap(merged);
    borders = std::move(next);
  }
}

}  // namespace stepscope
