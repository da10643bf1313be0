#include "base/json_document.h"

#include <gtest/gtest.h>

namespace stepscope {
namespace {

TEST(JsonDocument, ReadsEveryKind) {
  const auto json = ParseJson(
      R"( {"a": [1, -2.5e3, true, false, null], "b": {"c": "q\"\u00e9\ud83d\ude00\n"}, "n": 9007199254740993} )");
  ASSERT_TRUE(json);
  EXPECT_EQ((*json)["a"].items().size(), 5u);
  EXPECT_EQ((*json)["a"][1].AsDouble(), -2500);
  EXPECT_TRUE((*json)["a"][2].AsBool());
  EXPECT_TRUE((*json)["a"][4].is_null());
  EXPECT_EQ((*json)["b"]["c"].text(), "q\"é😀\n");
  EXPECT_EQ((*json)["n"].AsInt(), 9007199254740993);
  EXPECT_TRUE((*json)["none"]["deeper"][7].is_null());
}

TEST(JsonDocument, RefusesWhatIsNoJson) {
  for (const char* bad : {"", "{", "[1,]", "{\"a\":}", "\"open", "[1] 2", "{a:1}", "nul", "--1",
                          "\"\\x\"", "\"\\u12\"", "[inf]", "nan"}) {
    EXPECT_FALSE(ParseJson(bad)) << bad;
  }
  EXPECT_FALSE(ParseJson(std::string(100000, '[')));
}

}  // namespace
}  // namespace stepscope
