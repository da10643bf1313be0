#include "present/json_writer.h"

#include <gtest/gtest.h>

#include <limits>

namespace stepscope {
namespace {

template <typename T>
std::string Written(const T& value) {
  std::string out;
  JsonWriter(out).Value(value);
  return out;
}

TEST(JsonWriter, IntegersDigitForDigit) {
  EXPECT_EQ(Written(std::numeric_limits<int64_t>::min()), "-9223372036854775808");
  EXPECT_EQ(Written(std::numeric_limits<uint64_t>::max()), "18446744073709551615");
  EXPECT_EQ(Written(int64_t{1'760'000'000'000'000'001}), "1760000000000000001");
}

TEST(JsonWriter, DoublesReadBackTheSameAndAreJson) {
  EXPECT_EQ(Written(0.1), "0.1");
  EXPECT_EQ(Written(54.68), "54.68");
  EXPECT_EQ(Written(1e300), "1e+300");
  EXPECT_EQ(Written(std::numeric_limits<double>::infinity()), "null");
  EXPECT_EQ(Written(std::numeric_limits<double>::quiet_NaN()), "null");
}

TEST(JsonWriter, EscapesWhatJsonAsksFor) {
  EXPECT_EQ(Written(std::string_view("a\"b\\c\n\r\t\x01/")), R"("a\"b\\c\n\r\t\u0001/")");
  EXPECT_EQ(Written(std::string_view("\x7F\0x", 3)), "\"\\u007f\\u0000x\"");
  EXPECT_EQ(Written(std::string_view("µ模\xF0\x9F\x98\x80")), "\"µ模\xF0\x9F\x98\x80\"");
  EXPECT_EQ(Written(std::string_view("a\xFF\xC3")), "\"a\uFFFD\uFFFD\"");
  EXPECT_EQ(Written(std::string_view("\xED\xA0\x80")), "\"\uFFFD\uFFFD\uFFFD\"");
}

TEST(JsonWriter, RowsOnLines) {
  std::string out;
  JsonWriter json(out);
  json.BeginObject(JsonWriter::Layout::kLines);
  json.Field("schema", "x/1");
  json.Field("none", std::optional<int64_t>());
  json.Key("rows");
  json.BeginArray(JsonWriter::Layout::kLines);
  for (const int i : {1, 2}) {
    json.BeginObject();
    json.Field("i", i);
    json.Field("even", i % 2 == 0);
    json.EndObject();
  }
  json.EndArray();
  json.Key("empty");
  json.BeginArray(JsonWriter::Layout::kLines);
  json.EndArray();
  json.EndObject();
  EXPECT_EQ(out,
            "{\n  \"schema\": \"x/1\",\n  \"none\": null,\n  \"rows\": [\n"
            "    {\"i\": 1, \"even\": false},\n    {\"i\": 2, \"even\": true}\n  ],\n"
            "  \"empty\": []\n}");
}

TEST(JsonWriter, EscapesWhatATerminalWouldObey) {
  std::string out;
  JsonWriter(out).Value("\x1b[2J\u009B\u202E\u2069é");
  EXPECT_EQ(out, R"("\u001b[2J\u009b\u202e\u2069é")");
}

}  // namespace
}  // namespace stepscope
