#pragma once

#include <algorithm>
#include <cstddef>
#include <iterator>
#include <utility>
#include <vector>

namespace stepscope {

// Merges two ascending runs that stand one after the other. Only what overlaps is moved, with a
// buffer for the left part of it.
template <typename Iterator, typename T, typename Less>
void MergeNeighbours(Iterator first, Iterator middle, Iterator last, std::vector<T>& buffer,
                     Less less) {
  Iterator to = std::upper_bound(first, middle, *middle, less);
  if (to == middle) return;
  buffer.assign(std::make_move_iterator(to), std::make_move_iterator(middle));
  auto left = buffer.begin();
  for (Iterator right = middle; left != buffer.end(); ++to) {
    const bool take_right = right != last && less(*right, *left);
    *to = take_right ? std::move(*right++) : std::move(*left++);
  }
}

// Sorts a list that consists of a few ascending runs, as rows of profiles do (all ops of a thread,
// then all its runtime calls, …): O(n log runs), less where runs hardly overlap, a buffer of the
// largest run. Sorted input costs one comparison per item. `less` must be a total order, so that
// the result does not depend on the method.
template <typename T, typename Less>
void SortRuns(std::vector<T>& items, Less less) {
  const auto out_of_order = [&](size_t i) { return less(items[i], items[i - 1]); };
  std::vector<size_t> borders{0};
  for (size_t i = 1; i < items.size(); ++i) {
    if (out_of_order(i)) borders.push_back(i);
  }
  borders.push_back(items.size());
  const auto at = [&](size_t border) {
    return items.begin() + static_cast<ptrdiff_t>(borders[border]);
  };
  std::vector<T> buffer;
  while (borders.size() > 2) {
    for (size_t run = 0; run + 2 < borders.size(); run += 2) {
      MergeNeighbours(at(run), at(run + 1), at(run + 2), buffer, less);
    }
    // Neighbouring runs that are now in order are one run.
    std::vector<size_t> next{0};
    for (size_t run = 2; run + 1 < borders.size(); run += 2) {
      if (out_of_order(borders[run])) next.push_back(borders[run]);
    }
    next.push_back(items.size());
    borders = std::move(next);
  }
}

}  // namespace stepscope
