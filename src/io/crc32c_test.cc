#include "io/crc32c.h"

#include <gtest/gtest.h>

#include <string>

namespace stepscope {
namespace {

TEST(Crc32c, GivesTheVectorsOfRfc3720) {
  EXPECT_EQ(Crc32c(std::string(32, '\0')), 0x8a9136aau);
  EXPECT_EQ(Crc32c(std::string(32, '\xff')), 0x62a8ab43u);
  std::string rising;
  for (int i = 0; i < 32; ++i) rising.push_back(static_cast<char>(i));
  EXPECT_EQ(Crc32c(rising), 0x46dd794eu);
  EXPECT_EQ(Crc32c("123456789"), 0xe3069283u);
  EXPECT_EQ(Crc32c(""), 0u);
}

TEST(Crc32c, MaskIsTensorFlows) {
  EXPECT_EQ(MaskCrc(Crc32c("\x1a\x11"
                           "CRC test, one two")),
            0x5794d08au);
}

TEST(Crc32c, ExtendsAtEveryCut) {
  const std::string text = "the quick brown fox jumps over the lazy dog, twice over";
  for (size_t cut = 0; cut <= text.size(); ++cut) {
    const uint32_t head = Crc32c(std::string_view(text).substr(0, cut));
    EXPECT_EQ(ExtendCrc32c(head, std::string_view(text).substr(cut)), Crc32c(text));
  }
}

}  // namespace
}  // namespace stepscope
