#include "fleet/keyed_hash.h"

#include <gtest/gtest.h>

namespace stepscope::fleet {
namespace {

// RFC 4231, test cases 1, 2, 3, 6 and 7: the first 16 bytes.
TEST(KeyedHash, IsHmacSha256) {
  EXPECT_EQ(KeyedHash(std::string(20, '\x0b'), "Hi There"), "b0344c61d8db38535ca8afceaf0bf12b");
  EXPECT_EQ(KeyedHash("Jefe", "what do ya want for nothing?"), "5bdcc146bf60754e6a042426089575c7");
  EXPECT_EQ(KeyedHash(std::string(20, '\xaa'), std::string(50, '\xdd')),
            "773ea91e36800e46854db8ebd09181a7");
  const std::string long_key(131, '\xaa');
  EXPECT_EQ(KeyedHash(long_key, "Test Using Larger Than Block-Size Key - Hash Key First"),
            "60e431591ee0b67f0d8a26aacbf5b77f");
  EXPECT_EQ(KeyedHash(long_key,
                      "This is a test using a larger than block-size key and a larger than "
                      "block-size data. The key needs to be hashed before being used by the HMAC "
                      "algorithm."),
            "9b09ffa71b942fcb27635fbcd5b0e944");
}

}  // namespace
}  // namespace stepscope::fleet
