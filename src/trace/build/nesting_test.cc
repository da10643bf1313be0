#include "trace/build/nesting.h"

#include <gtest/gtest.h>
#include <rapidcheck.h>

#include <algorithm>
#include <utility>
#include <vector>

namespace stepscope {
namespace {

struct Span {
  int64_t start;
  int64_t length;
  int64_t end() const { return start + length; }
};

// In the order of Slices.
std::vector<Span> SomeSpans(int64_t latest, int64_t longest) {
  const auto pairs = *rc::gen::container<std::vector<std::pair<int64_t, int64_t>>>(
      rc::gen::pair(rc::gen::inRange<int64_t>(0, latest), rc::gen::inRange<int64_t>(0, longest)));
  std::vector<Span> spans;
  for (const auto& [start, length] : pairs) spans.push_back({start, length});
  std::stable_sort(spans.begin(), spans.end(), [](const Span& a, const Span& b) {
    return a.start != b.start ? a.start < b.start : a.length > b.length;
  });
  return spans;
}

struct Nested {
  Nesting nesting;
  std::vector<SliceId> parent;
  std::vector<uint16_t> depth;
  uint32_t LaneOf(size_t row) const { return nesting.lane.empty() ? 0 : nesting.lane[row]; }
};

constexpr uint32_t kFirst = 7;  // of the row in the slices

Nested NestOf(const std::vector<Span>& spans) {
  std::vector<TimeNs> start;
  std::vector<DurationNs> duration;
  for (const Span& span : spans) {
    start.push_back({span.start});
    duration.push_back({span.length});
  }
  Nested nested;
  nested.parent.resize(spans.size());
  nested.depth.resize(spans.size());
  nested.nesting = Nest(start, duration, kFirst, nested.parent, nested.depth);
  return nested;
}

// Slow and obvious: `inner` comes later in the order, begins while `outer` runs and ends with it or
// before.
bool Contains(const Span& outer, const Span& inner) {
  return inner.start < outer.end() && inner.end() <= outer.end();
}
bool Disjoint(const Span& first, const Span& second) { return first.end() <= second.start; }

TEST(Nest, AgreesWithTheObviousVersionOnEachLane) {
  EXPECT_TRUE(rc::check([] {
    const auto spans = SomeSpans(60, 30);
    const Nested nested = NestOf(spans);
    for (uint32_t row = 0; row < spans.size(); ++row) {
      SliceId parent = kNoSlice;
      uint16_t depth = 0;
      for (uint32_t other = 0; other < row; ++other) {
        if (nested.LaneOf(other) != nested.LaneOf(row)) continue;
        // On one lane two spans nest or are apart.
        RC_ASSERT((Contains(spans[other], spans[row]) || Disjoint(spans[other], spans[row])));
        if (!Contains(spans[other], spans[row])) continue;
        parent = SliceId{kFirst + other};  // the last that contains it is the innermost
        ++depth;
      }
      RC_ASSERT(nested.parent[row] == parent);
      RC_ASSERT(nested.depth[row] == depth);
    }
  }));
}

TEST(Nest, UsesExtraLanesOnlyForSpansThatOverlap) {
  EXPECT_TRUE(rc::check([] {
    const auto spans = SomeSpans(60, 30);
    const Nested nested = NestOf(spans);
    bool any_overlap = false;
    for (size_t row = 0; row < spans.size(); ++row) {
      for (size_t other = 0; other < row; ++other) {
        any_overlap |= !Contains(spans[other], spans[row]) && !Disjoint(spans[other], spans[row]);
      }
    }
    RC_ASSERT((nested.nesting.lanes > 1) == any_overlap);
    RC_ASSERT((nested.nesting.overlapping > 0) == any_overlap);
  }));
}

TEST(Nest, KeepsAnyNumberOfSpansApart) {
  // All overlap all others: a lane each.
  std::vector<Span> spans;
  for (int64_t i = 0; i < 1000; ++i) spans.push_back({i, 5000});
  const Nested nested = NestOf(spans);
  EXPECT_EQ(nested.nesting.lanes, 1000U);
  // Crowded lanes are used again once they are free.
  for (int64_t i = 0; i < 1000; ++i) spans.push_back({10000 + i, 5000});
  EXPECT_EQ(NestOf(spans).nesting.lanes, 1000U);
}

}  // namespace
}  // namespace stepscope
