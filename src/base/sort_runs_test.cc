#include "base/sort_runs.h"

#include <gtest/gtest.h>
#include <rapidcheck.h>

#include <functional>
#include <utility>
#include <vector>

namespace stepscope {
namespace {

using Item = std::pair<int, int>;  // a key that repeats, and what makes the order total

TEST(SortRuns, SortsAsStdSortDoes) {
  EXPECT_TRUE(rc::check([] {
    // From one run over many that overlap a little to no order at all.
    const auto runs = *rc::gen::inRange(1, 20);
    const auto length = *rc::gen::inRange(0, 40);
    const auto step = *rc::gen::inRange(0, 3);
    std::vector<Item> items;
    int key = 0;
    for (int r = 0; r < runs; ++r) {
      for (int i = 0; i < length; ++i)
        items.emplace_back(key += step, static_cast<int>(items.size()));
      key -= *rc::gen::inRange(0, 2 * length + 1);
    }
    auto wanted = items;
    std::sort(wanted.begin(), wanted.end());
    SortRuns(items, std::less<>());
    RC_ASSERT(items == wanted);
  }));
  EXPECT_TRUE(rc::check([](std::vector<int> values) {
    auto wanted = values;
    std::sort(wanted.begin(), wanted.end());
    SortRuns(values, std::less<>());
    RC_ASSERT(values == wanted);
  }));
}

}  // namespace
}  // namespace stepscope
