#include "cli/ssh_place.h"

#include <gtest/gtest.h>

namespace stepscope {
namespace {

TEST(SshPlace, Urls) {
  EXPECT_EQ(*ParseSshUrl("ssh://node1/data/run"), (SshPlace{"node1", 0, "/data/run"}));
  EXPECT_EQ(*ParseSshUrl("ssh://me@node1:2222/x"), (SshPlace{"me@node1", 2222, "/x"}));
  EXPECT_EQ(*ParseSshUrl("ssh://node1/~/runs"), (SshPlace{"node1", 0, "./runs"}));
  EXPECT_EQ(*ParseSshUrl("ssh://[::1]:22/x"), (SshPlace{"::1", 22, "/x"}));
}

TEST(SshPlace, Hosts) {
  EXPECT_EQ(*ParseSshHost("ssh:node1"), (SshPlace{"node1", 0, ""}));
  EXPECT_EQ(*ParseSshHost("ssh:me@node1:2222"), (SshPlace{"me@node1", 2222, ""}));
}

TEST(SshPlace, NoPlaces) {
  for (const char* text : {"", "node1/x", "ssh://", "ssh://node1", "ssh://node1/", "ssh:///x",
                           "ssh://node1:0/x", "ssh://node1:99999/x", "ssh://node1:x/x",
                           "ssh://-oProxyCommand=x/x", "ssh://a b/x", "ssh://@node1:/x"}) {
    const Result<SshPlace> place = ParseSshUrl(text);
    ASSERT_FALSE(place) << text;
    EXPECT_EQ(place.error().code, ErrorCode::kUsage) << text;
    EXPECT_FALSE(place.error().next_step.empty()) << text;
  }
  for (const char* text : {"", "node1", "ssh:", "ssh:-x", "ssh:a/b", "ssh:a:b"}) {
    EXPECT_FALSE(ParseSshHost(text)) << text;
  }
}

TEST(SshPlace, WordsReachTheOtherShellAsTheyAre) {
  EXPECT_EQ(ShellQuoted("it's $HOME"), "'it'\\''s $HOME'");
  EXPECT_EQ(ShellQuoted(""), "''");
  EXPECT_EQ(SshArguments({.ssh = "ssh -J jump"}, {"me@node1", 2222, ""}, {"-L", "1:a:2"},
                         ShellCommand(std::vector<std::string>{"stepscope", "a b"})),
            (std::vector<std::string>{"ssh", "-J", "jump", "-T", "-p", "2222", "-L", "1:a:2", "--",
                                      "me@node1", "'stepscope' 'a b'"}));
}

}  // namespace
}  // namespace stepscope
