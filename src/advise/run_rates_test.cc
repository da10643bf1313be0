#include "advise/run_rates.h"

#include <gtest/gtest.h>

namespace stepscope {
namespace {

constexpr double kNear = 1.10;

TEST(RunRates, SentencesForEachSide) {
  EXPECT_EQ(InEnglish(RatesSentence({.full = 100, .trivial = 105, .synthetic = 250}, kNear)),
            "100.0 per second; trivial model 105.0 (1.05 ×); synthetic data 250.0 (2.50 ×): input "
            "sets the pace.");
  EXPECT_EQ(InEnglish(RatesSentence({.full = 100, .trivial = 900, .synthetic = 105}, kNear)),
            "100.0 per second; trivial model 900.0 (9.00 ×); synthetic data 105.0 (1.05 ×): the "
            "model sets the pace.");
  EXPECT_EQ(InEnglish(RatesSentence({.full = 100, .trivial = 140, .synthetic = 150}, kNear)),
            "100.0 per second; trivial model 140.0 (1.40 ×); synthetic data 150.0 (1.50 ×): input "
            "and the model both take their part.");
  EXPECT_EQ(InEnglish(RatesSentence({.full = 100}, kNear)), "");
}

TEST(RunRates, OneSecondRunIsEnough) {
  EXPECT_TRUE(InputSetsThePace({.full = 100, .trivial = 110}, kNear));
  EXPECT_FALSE(InputSetsThePace({.full = 100, .trivial = 111}, kNear));
  EXPECT_TRUE(InputSetsThePace({.full = 100, .synthetic = 111}, kNear));
  EXPECT_FALSE(InputSetsThePace({.full = 100, .synthetic = 110}, kNear));
}

}  // namespace
}  // namespace stepscope
