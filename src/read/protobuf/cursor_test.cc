#include "read/protobuf/cursor.h"

#include <gtest/gtest.h>

#include <string>

#include "read/protobuf/wire.h"

namespace stepscope {
namespace {

std::string Encode(uint64_t value) {
  std::string out;
  while (value >= 0x80) {
    out.push_back(static_cast<char>(value | 0x80));
    value >>= 7;
  }
  out.push_back(static_cast<char>(value));
  return out;
}

TEST(WireCursor, ReadsEveryLengthOfVarintWithAndWithoutRoomBehindIt) {
  for (int bit = 0; bit < 64; ++bit) {
    for (const uint64_t value :
         {uint64_t{1} << bit, (uint64_t{1} << bit) - 1, ~uint64_t{0} >> bit}) {
      for (const std::string& padding : {std::string(), std::string(16, '\xff')}) {
        const std::string bytes = Encode(value) + padding;
        WireCursor cursor(bytes);
        uint64_t got = 0;
        ASSERT_TRUE(cursor.Varint(got));
        EXPECT_EQ(got, value);
        EXPECT_EQ(cursor.left(), padding.size());
      }
    }
  }
}

TEST(WireCursor, DoesNotReadAValueThatEndsBehindTheMessage) {
  const std::string buffer = Encode(uint64_t{1} << 40) + std::string(16, '\0');
  uint64_t value;
  EXPECT_FALSE(WireCursor({buffer.data(), 3}, buffer.data() + buffer.size()).Varint(value));
  EXPECT_TRUE(WireCursor({buffer.data(), 6}, buffer.data() + buffer.size()).Varint(value));
  EXPECT_EQ(value, uint64_t{1} << 40);
}

TEST(WireCursor, RefusesElevenByteVarintsAndBytesPastTheEnd) {
  const std::string eleven(11, '\x80');
  uint64_t value;
  EXPECT_FALSE(WireCursor(eleven).Varint(value));
  const std::string overflow = std::string(9, '\xff') + '\x02';
  EXPECT_FALSE(WireCursor(overflow).Varint(value));
  std::string_view bytes;
  EXPECT_FALSE(WireCursor(std::string_view("\x05"
                                           "abcd"))
                   .Bytes(bytes));
  EXPECT_TRUE(WireCursor(std::string_view("\x04"
                                          "abcd"))
                  .Bytes(bytes));
  EXPECT_EQ(bytes, "abcd");
}

TEST(WireReader, StopsAtTheFirstFaultAndKeepsWhatCameBefore) {
  const std::string bytes = std::string("\x08\x96\x01", 3) + std::string(
                                                                 "\x12\x7f"
                                                                 "abc",
                                                                 5);
  WireReader reader{std::string_view(bytes)};
  ASSERT_TRUE(reader.Next());
  EXPECT_EQ(reader.Unsigned(), 150u);
  EXPECT_FALSE(reader.Next());
  EXPECT_FALSE(reader.ok());
  EXPECT_TRUE(reader.cut());
  EXPECT_EQ(reader.declared_length(), 127u);
  EXPECT_EQ(reader.cut_bytes(), "abc");
  EXPECT_EQ(reader.offset(), 3u);
}

}  // namespace
}  // namespace stepscope
