#include "link/repetition.h"

#include <gtest/gtest.h>
#include <rapidcheck.h>

#include <algorithm>
#include <vector>

namespace stepscope {
namespace {

std::vector<Action> ActionsOf(const std::vector<uint32_t>& names) {
  std::vector<Action> actions;
  for (const uint32_t name : names) actions.push_back({name, {}});
  return actions;
}

// A round begins and ends with names of its own, as a step does with loading and the optimizer, and
// has layers in between.
std::vector<uint32_t> SomeRound() {
  constexpr uint32_t kFirstLayerName = 10;
  std::vector<uint32_t> layer;
  const auto length = *rc::gen::inRange<size_t>(1, 6);
  for (size_t i = 0; i < length; ++i) {
    layer.push_back(*rc::gen::inRange(kFirstLayerName, kFirstLayerName + 4));
  }
  std::vector<uint32_t> round{0, 1, 2};
  const auto layers = *rc::gen::inRange(1, 12);
  for (int i = 0; i < layers; ++i) round.insert(round.end(), layer.begin(), layer.end());
  round.insert(round.end(), {3, 4, 5});
  return round;
}

TEST(FindRepetition, FindsEveryRoundOfACleanLoop) {
  EXPECT_TRUE(rc::check([] {
    const auto round = SomeRound();
    const auto rounds = *rc::gen::inRange<size_t>(2, 12);
    std::vector<uint32_t> names;
    for (size_t r = 0; r < rounds; ++r) names.insert(names.end(), round.begin(), round.end());
    const Repetition found = FindRepetition(ActionsOf(names));
    RC_ASSERT(found.borders.size() == rounds);
    for (size_t r = 0; r < rounds; ++r) RC_ASSERT(found.borders[r] == r * round.size());
    RC_ASSERT(found.end == names.size());
    RC_ASSERT(found.confidence == 1.0);
  }));
}

// An action more, an odd one out, or one fewer, somewhere inside.
std::vector<uint32_t> WithNoise(std::vector<uint32_t> round, uint32_t odd_name) {
  const auto at = *rc::gen::inRange<size_t>(3, round.size() - 3);
  const auto place = round.begin() + static_cast<ptrdiff_t>(at);
  if (*rc::gen::arbitrary<bool>()) {
    round.insert(place, odd_name);
  } else {
    round.erase(place);
  }
  return round;
}

TEST(FindRepetition, ToleratesActionsMoreOrFewer) {
  EXPECT_TRUE(rc::check([] {
    auto round = SomeRound();
    while (round.size() < 40) round.insert(round.end() - 3, round.begin() + 3, round.end() - 3);
    constexpr size_t kRounds = 8;
    const auto one = *rc::gen::inRange<size_t>(0, kRounds);
    const auto other = *rc::gen::inRange<size_t>(0, kRounds);
    // Noise that comes back every three or four rounds would make these the round.
    const size_t apart = one < other ? other - one : one - other;
    RC_PRE(apart != 3U && apart != 4U);
    std::vector<uint32_t> names;
    std::vector<size_t> true_borders;
    for (size_t r = 0; r < kRounds; ++r) {
      const auto odd = 30 + static_cast<uint32_t>(r);
      const auto noisy = r == one || r == other ? WithNoise(round, odd) : round;
      true_borders.push_back(names.size());
      names.insert(names.end(), noisy.begin(), noisy.end());
    }
    const Repetition found = FindRepetition(ActionsOf(names));
    RC_ASSERT(found.borders.size() == kRounds);
    for (size_t r = 0; r < kRounds; ++r) {
      const auto off =
          static_cast<int64_t>(found.borders[r]) - static_cast<int64_t>(true_borders[r]);
      RC_ASSERT(std::abs(off) <= 1);
    }
  }));
}

// Roughly, 39 and 40 actions are as good a period as 41; closely, only 41 is.
TEST(FindRepetition, FindsThePeriodAmongItsNeighbours) {
  std::vector<uint32_t> round{0, 1, 2};
  for (int i = 0; i < 7; ++i) round.insert(round.end(), {10, 10, 11, 10, 10});
  round.insert(round.end(), {3, 4, 5});
  std::vector<uint32_t> names;
  for (int r = 0; r < 6; ++r) names.insert(names.end(), round.begin(), round.end());
  for (const int fewer : {26, 5}) {
    auto shorter = round;
    shorter.erase(shorter.begin() + fewer);
    names.insert(names.end(), shorter.begin(), shorter.end());
  }
  const Repetition found = FindRepetition(ActionsOf(names));
  EXPECT_EQ(found.borders, (std::vector<uint32_t>{0, 41, 82, 123, 164, 205, 246, 286}));
}

TEST(FindRepetition, FindsNothingInNoise) {
  EXPECT_TRUE(rc::check([] {
    // Every name but one occurs once.
    const auto length = *rc::gen::inRange<uint32_t>(2, 200);
    std::vector<uint32_t> names;
    for (uint32_t i = 0; i < length; ++i) names.push_back(i % 7 == 3 ? 1000 : i);
    RC_ASSERT(FindRepetition(ActionsOf(names)).borders.empty());
  }));
}

TEST(FindRepetition, FindsNothingInRandomNames) {
  EXPECT_TRUE(rc::check([] {
    // A few names in any order, so many that every period finds them all nearby.
    uint32_t random = *rc::gen::inRange<uint32_t>(1, 1U << 30U);
    std::vector<uint32_t> names;
    for (int i = 0; i < 3000; ++i) {
      random = random * 1664525 + 1013904223;
      names.push_back(random >> 30U);
    }
    RC_ASSERT(FindRepetition(ActionsOf(names)).borders.empty());
  }));
}

TEST(FindRepetition, BordersAreInOrderWhateverTheActions) {
  EXPECT_TRUE(rc::check([](const std::vector<uint8_t>& bytes) {
    std::vector<Action> actions;
    for (const uint8_t byte : bytes) actions.push_back({byte % 5U, {byte}});
    const Repetition found = FindRepetition(actions);
    RC_ASSERT(std::is_sorted(found.borders.begin(), found.borders.end()));
    if (!found.borders.empty()) RC_ASSERT(found.borders.back() < found.end);
    RC_ASSERT(found.end <= actions.size());
  }));
}

}  // namespace
}  // namespace stepscope
