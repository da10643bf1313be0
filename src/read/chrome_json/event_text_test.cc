#include "read/chrome_json/event_text.h"

#include <gtest/gtest.h>

#include <fstream>

#include "base/json_document.h"
#include "base/testing/temp_dir.h"

namespace stepscope::chrome_json {
namespace {

TEST(StrictJson, TurnsWhatTracesHoldIntoJson) {
  EXPECT_EQ(StrictJson(R"({"a": NaN, "b": -Infinity, "c": N/A, "d": 1.5e3, "e": true})"),
            R"({"a": "NaN", "b": "-Infinity", "c": "N/A", "d": 1.5e3, "e": true})");
  EXPECT_EQ(StrictJson(R"({"id": 18446744073709551615})"), R"({"id": "18446744073709551615"})");
  EXPECT_EQ(StrictJson("{\"a\": \"x\ty\\q\"}"), R"({"a": "x\u0009y\\q"})");
  EXPECT_EQ(StrictJson("{\"a\": \"\xff<script>\"}"), "{\"a\": \"\xef\xbf\xbd<script>\"}");
  EXPECT_EQ(StrictJson("{\"a\""), R"("{\"a\"")");
}

TEST(ReadEventText, FindsEachEventFromTheBlockBeforeIt) {
  const TempDir folder;
  const std::string path = folder / "trace.json";
  const std::string text = R"({"traceEvents": [ {"n": 0}, {"n": 1, "s": "}],\""} ,
{"n": [2, {"x": 3}]}, {"n": 3}], "other": 1})";
  std::ofstream(path) << text;
  const auto file = RandomAccess::Open(path);
  ASSERT_TRUE(file.has_value());
  const uint64_t third = text.find(R"({"n": [2)") - 2;
  const std::vector<EventPlace> places{{0, text.find('[') + 1}, {2, third}};
  EXPECT_EQ(ReadEventText(**file, places, 0).value(), R"({"n": 0})");
  EXPECT_EQ(ReadEventText(**file, places, 1).value(), R"({"n": 1, "s": "}],\""})");
  EXPECT_EQ(ReadEventText(**file, places, 2).value(), R"({"n": [2, {"x": 3}]})");
  EXPECT_EQ(ReadEventText(**file, places, 3).value(), R"({"n": 3})");
  EXPECT_FALSE(ReadEventText(**file, places, 4).has_value());
  EXPECT_FALSE(ReadEventText(**file, {}, 0).has_value());
}

}  // namespace
}  // namespace stepscope::chrome_json
