#include "io/crc32.h"

#include <gtest/gtest.h>

namespace stepscope {
namespace {

// The check value of CRC-32/ISO-HDLC in the catalogue of parametrised CRC algorithms.
TEST(Crc32, HasThePublishedCheckValue) {
  EXPECT_EQ(Crc32("123456789"), 0xCBF43926u);
  EXPECT_EQ(Crc32("6789", Crc32("12345")), 0xCBF43926u);
  EXPECT_EQ(Crc32(""), 0u);
}

}  // namespace
}  // namespace stepscope
