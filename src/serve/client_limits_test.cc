#include "serve/client_limits.h"

#include <gtest/gtest.h>

#include "serve/access_log.h"

namespace stepscope {
namespace {

using std::chrono::milliseconds;

TEST(ClientLimits, OneClientDoesNotKeepOthersOut) {
  ClientLimits limits(2, 0);
  EXPECT_TRUE(limits.Enter("a") && limits.Enter("a"));
  EXPECT_FALSE(limits.Enter("a"));
  EXPECT_TRUE(limits.Enter("b"));
  limits.Leave("a");
  EXPECT_TRUE(limits.Enter("a"));
}

// 10 per second: 50 at once after a pause, then one every 100 ms.
TEST(ClientLimits, CountsRequestsPerSecond) {
  ClientLimits limits(0, 10);
  const std::chrono::steady_clock::time_point start{milliseconds(1'000'000)};
  for (int i = 0; i < 50; ++i) EXPECT_TRUE(limits.MayAsk("a", start));
  EXPECT_FALSE(limits.MayAsk("a", start));
  EXPECT_TRUE(limits.MayAsk("b", start));
  EXPECT_FALSE(limits.MayAsk("a", start + milliseconds(50)));
  EXPECT_TRUE(limits.MayAsk("a", start + milliseconds(110)));
  EXPECT_FALSE(limits.MayAsk("a", start + milliseconds(120)));
}

TEST(AccessLog, ALineHoldsNoControlCharacters) {
  const std::chrono::system_clock::time_point time{std::chrono::seconds(1769860800)};
  EXPECT_EQ(
      AccessLog::LineOf(
          {"10.0.0.7", "GET", "/api/x\n\x1b[31m", 404, 12, std::chrono::microseconds(1500)}, time),
      "2026-01-31T12:00:00Z 10.0.0.7 GET /api/x\xEF\xBF\xBD\xEF\xBF\xBD[31m 404 12 1.500ms\n");
}

}  // namespace
}  // namespace stepscope
