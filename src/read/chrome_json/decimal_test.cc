#include "read/chrome_json/decimal.h"

#include <gtest/gtest.h>
#include <rapidcheck.h>

#include <string>

#include "read/chrome_json/testing/read_text.h"

namespace stepscope::chrome_json {
namespace {

TEST(ParseTime, DigitsToNanoseconds) {
  EXPECT_EQ(ParseTime("0"), 0);
  EXPECT_EQ(ParseTime("3868176185940.197"), 3868176185940197);
  EXPECT_EQ(ParseTime("1623142623460016"), 1623142623460016000);
  EXPECT_EQ(ParseTime("317.72899999999998"), 317729);
  EXPECT_EQ(ParseTime("0.0005"), 1);
  EXPECT_EQ(ParseTime("0.00049999999999999999999"), 0);
  EXPECT_EQ(ParseTime("1.5e3"), 1500000);
  EXPECT_EQ(ParseTime("25E-4"), 3);
  EXPECT_EQ(ParseTime("-1.5"), -1500);
  EXPECT_EQ(ParseTime("-0.0005"), 0);  // half goes up
  EXPECT_EQ(ParseTime("-0.00051"), -1);
  EXPECT_EQ(ParseTime(".5"), 500);
  EXPECT_EQ(ParseTime("5."), 5000);
  EXPECT_EQ(ParseTime("4611686018427387.903"), 4611686018427387903);
}

TEST(ParseTime, WhatIsNoTime) {
  for (const char* text : {"", "-", ".", "abc", "1e", "1e+", "1 2", "NaN", "4611686018427387.904",
                           "1e300", "1e999999999999999999999"}) {
    EXPECT_FALSE(ParseTime(text).has_value()) << text;
  }
  EXPECT_EQ(ParseTime("1e-99999999999999999999999"), 0);
  EXPECT_EQ(ParseTime("0e99999999999999999999999"), 0);
}

TEST(ParseTime, RoundTripsEveryNanosecondHoweverItIsSpelt) {
  EXPECT_TRUE(rc::check([](int64_t seed) {
    const int64_t ns = seed % (int64_t{1} << 62);
    const uint64_t magnitude = ns < 0 ? 0 - static_cast<uint64_t>(ns) : static_cast<uint64_t>(ns);
    std::string digits = std::to_string(magnitude);
    if (digits.size() < 4) digits.insert(0, 4 - digits.size(), '0');
    const std::string sign = ns < 0 ? "-" : "";
    const std::string plain =
        sign + digits.substr(0, digits.size() - 3) + "." + digits.substr(digits.size() - 3);
    RC_ASSERT(ParseTime(plain) == ns);
    RC_ASSERT(ParseTime(plain + "00000000") == ns);
    RC_ASSERT(ParseTime(sign + "0.00" + digits + "e" + std::to_string(digits.size() - 1)) == ns);
    RC_ASSERT(ParseTime(sign + digits + "000e-6") == ns);
  }));
}

TEST(ParseTime, TheParserOfEventsAgrees) {
  EXPECT_TRUE(rc::check([](uint32_t whole, uint32_t fraction, bool integer) {
    std::string digits = std::to_string(fraction);
    digits.resize(*rc::gen::inRange<size_t>(1, digits.size() + 1));
    const std::string text = std::to_string(whole) + (integer ? "" : "." + digits);
    const ReadAnswer answer = ReadText(R"([{"ph":"X","name":"z","pid":1,"tid":1,"ts":0,"dur":0},)"
                                       R"({"ph":"X","name":"a","pid":1,"tid":1,"ts":)" +
                                       text + R"(,"dur":)" + text + "}]");
    RC_ASSERT(answer.trace->slices.size() == 2U);
    const uint32_t row = answer.trace->Name(0) == "a" ? 0 : 1;
    RC_ASSERT(answer.trace->slices.start[row].ns == *ParseTime(text));
    RC_ASSERT(answer.trace->slices.duration[row].ns == *ParseTime(text));
  }));
}

TEST(ParseInteger, NumbersAndHexadecimal) {
  EXPECT_EQ(ParseInteger("17"), 17);
  EXPECT_EQ(ParseInteger("-17"), -17);
  EXPECT_EQ(ParseInteger("0x1f"), 31);
  EXPECT_EQ(ParseInteger("18446744073709551615"), -1);
  EXPECT_EQ(ParseInteger("18446744073709551616"), std::nullopt);
  EXPECT_EQ(ParseInteger("1.5e1"), 15);
  EXPECT_EQ(ParseInteger("stream"), std::nullopt);
  EXPECT_EQ(ParseInteger("0x"), std::nullopt);
}

TEST(ParseReal, Numbers) {
  EXPECT_EQ(ParseReal("0.484848"), 0.484848);
  EXPECT_EQ(ParseReal("-1e3"), -1000);
  EXPECT_EQ(ParseReal("inf"), std::nullopt);
  EXPECT_EQ(ParseReal(""), std::nullopt);
}

}  // namespace
}  // namespace stepscope::chrome_json
