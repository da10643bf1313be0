#include "link/call_rounds.h"

#include <gtest/gtest.h>

#include <sstream>
#include <string>

namespace stepscope {
namespace {

// A letter or word a call.
CallRounds RoundsIn(const std::string& text) {
  std::istringstream words(text);
  std::vector<std::string> calls;
  for (std::string word; words >> word;) calls.push_back(word);
  const std::vector<std::string_view> views(calls.begin(), calls.end());
  return FindCallRounds(views);
}

std::vector<uint32_t> FirstIn(const std::string& text) { return RoundsIn(text).first; }

using Places = std::vector<uint32_t>;

TEST(CallRounds, OneFunctionIsARound) {
  EXPECT_EQ(FirstIn("t t t t"), (Places{0, 1, 2, 3}));
  EXPECT_EQ(FirstIn("t t"), Places{});  // too few to be a loop
  EXPECT_EQ(FirstIn(""), Places{});
}

TEST(CallRounds, SeveralFunctionsMakeOneRound) {
  EXPECT_EQ(FirstIn("g u g u g u g u"), (Places{0, 2, 4, 6}));
  // m is called twice in every round: it begins none.
  EXPECT_EQ(FirstIn("d m x m d m x m d m x m d m x m"), (Places{0, 4, 8, 12}));
}

TEST(CallRounds, WhatIsCalledNowAndThenMakesNoLongerRound) {
  EXPECT_EQ(FirstIn("t t t t e t t t t e t t t t e t"),
            (Places{0, 1, 2, 3, 5, 6, 7, 8, 10, 11, 12, 13, 15}));
}

TEST(CallRounds, MicroBatchesMakeOneRound) {
  EXPECT_EQ(FirstIn("g g g apply_updates g g g apply_updates g g g apply_updates").size(), 3u);
  EXPECT_EQ(FirstIn("accumulate accumulate accumulate a accumulate accumulate accumulate a "
                    "accumulate accumulate accumulate a")
                .size(),
            3u);
  // Named as a step, each call is one.
  EXPECT_EQ(FirstIn("train_step train_step train_step update_ema train_step train_step train_step "
                    "update_ema train_step train_step train_step update_ema")
                .size(),
            9u);
}

TEST(CallRounds, OneOffsBeforeAndAfterAreNoPartOfTheLoop) {
  const CallRounds rounds = RoundsIn("init shape g u g u g u g u final");
  EXPECT_EQ(rounds.first, (Places{2, 4, 6, 8}));
  EXPECT_EQ(rounds.end, 10u);
  EXPECT_EQ(rounds.alike, 1);
}

TEST(CallRounds, WhatDoesNotRepeatIsNoLoop) {
  EXPECT_EQ(FirstIn("a b a c c b a d a b b c d"), Places{});
}

}  // namespace
}  // namespace stepscope
