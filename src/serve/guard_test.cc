#include "serve/guard.h"

#include <gtest/gtest.h>

#include <set>

namespace stepscope {
namespace {

TEST(Guard, TokensDifferAndAreCompared) {
  std::set<std::string> seen;
  for (int i = 0; i < 100; ++i) {
    const std::string token = NewToken();
    EXPECT_EQ(token.size(), 32U);
    EXPECT_TRUE(seen.insert(token).second);
    EXPECT_TRUE(SameToken(token, token));
  }
  EXPECT_FALSE(SameToken("", "abc"));
  EXPECT_FALSE(SameToken("abd", "abc"));
  EXPECT_FALSE(SameToken("abcd", "abc"));
}

TEST(Guard, NamesOfOthersAreRefused) {
  const auto allowed = [](std::string_view host, std::string_view bound = "127.0.0.1") {
    return IsFromOurPage({host, "", ""}, bound);
  };
  EXPECT_TRUE(allowed("127.0.0.1:8080"));
  EXPECT_TRUE(allowed("localhost:9999")) << "a tunnel has a port of its own";
  EXPECT_TRUE(allowed("LOCALHOST"));
  EXPECT_TRUE(allowed("[::1]:8080"));
  EXPECT_TRUE(allowed("192.168.1.5:8080")) << "an address cannot be rebound";
  EXPECT_TRUE(allowed("gpu7.lab:8080", "gpu7.lab"));
  EXPECT_FALSE(allowed("evil.example:8080"));
  EXPECT_FALSE(allowed("127.0.0.1.evil.example"));
  EXPECT_FALSE(allowed("localhost.evil.example:80"));
  EXPECT_FALSE(allowed(""));
  EXPECT_FALSE(allowed("[::1"));
}

TEST(Guard, PagesOfOthersAreRefused) {
  const auto allowed = [](std::string_view origin, std::string_view site) {
    return IsFromOurPage({"127.0.0.1:8080", origin, site}, "127.0.0.1");
  };
  EXPECT_TRUE(allowed("", ""));
  EXPECT_TRUE(allowed("http://127.0.0.1:8080", "same-origin"));
  EXPECT_TRUE(allowed("", "none"));
  EXPECT_FALSE(allowed("http://evil.example", ""));
  EXPECT_FALSE(allowed("http://127.0.0.1:9090", "")) << "another program on this machine";
  EXPECT_FALSE(allowed("null", ""));
  EXPECT_FALSE(allowed("", "cross-site"));
  EXPECT_FALSE(allowed("", "same-site"));
}

}  // namespace
}  // namespace stepscope
