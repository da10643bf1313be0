// The prompt of `stepscope view` as a person meets it: on a terminal.
#include <gtest/gtest.h>
#include <poll.h>
#include <pty.h>
#include <sys/wait.h>
#include <termios.h>
#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <string>
#include <vector>

#include "base/testing/data.h"
#include "base/testing/temp_dir.h"
#include "command/testing/run_verb.h"
#include "command/verb.h"

namespace stepscope {
namespace {

// Runs the prompt on a terminal of its own with a home of its own; waits for each answer before it
// types on. Returns what the screen showed.
class Terminal {
 public:
  explicit Terminal(const std::string& home) {
    child_ = forkpty(&screen_, nullptr, nullptr, nullptr);
    if (child_ != 0) return;
    setenv("HOME", home.c_str(), 1);
    setenv("TERM", "xterm", 1);
    unsetenv("XDG_STATE_HOME");
    std::vector<std::string> words{SourceFile("tests/tfprof/conv"), "--color", "never"};
    std::vector<char*> arguments;
    for (std::string& word : words) arguments.push_back(word.data());
    const int status = RunView(arguments);
    std::fflush(stdout);
    _exit(status);
  }
  Terminal(const Terminal&) = delete;
  Terminal& operator=(const Terminal&) = delete;

  // Types, then reads until the text is there; false after ten seconds without. Keys that come
  // before the prompt has made the terminal its own are not for it.
  bool Type(std::string_view keys, std::string_view until) {
    for (int i = 0; i < 2000 && !TakesKeys(); ++i) usleep(5000);
    shown_.clear();
    if (write(screen_, keys.data(), keys.size()) != static_cast<ssize_t>(keys.size())) return false;
    return ReadUntil(until);
  }
  bool ReadUntil(std::string_view until) {
    while (shown_.find(until) == std::string::npos) {
      pollfd wait{screen_, POLLIN, 0};
      char bytes[4096];
      if (poll(&wait, 1, 10'000) <= 0) return false;
      const ssize_t got = read(screen_, bytes, sizeof bytes);
      if (got <= 0) return false;
      shown_.append(bytes, static_cast<size_t>(got));
    }
    return true;
  }
  const std::string& shown() const { return shown_; }

  int Finish() {
    while (ReadUntil("never shown")) continue;
    close(screen_);
    int status = 0;
    waitpid(child_, &status, 0);
    return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
  }

 private:
  bool TakesKeys() const {
    termios mode{};
    return tcgetattr(screen_, &mode) == 0 && (mode.c_lflag & ICANON) == 0;
  }

  pid_t child_ = -1;
  int screen_ = -1;
  std::string shown_;
};

// A container may come without pseudo-terminals; nothing else is wrong there.
bool HasTerminals() {
  int screen = -1, other = -1;
  if (openpty(&screen, &other, nullptr, nullptr, nullptr) != 0) return false;
  close(screen);
  close(other);
  return true;
}

TEST(ViewPrompt, CompletesAndRemembers) {
  if (!HasTerminals()) GTEST_SKIP() << "no pseudo-terminal here: mount devpts on /dev/pts";
  const TempDir folder;
  const std::string& home = folder.path();
  {
    Terminal terminal(home);
    ASSERT_TRUE(terminal.ReadUntil("view> ")) << terminal.shown();
    EXPECT_TRUE(terminal.Type("sc\t", "ope")) << terminal.shown();
    EXPECT_TRUE(terminal.Type("-max_d\t", "epth")) << terminal.shown();
    EXPECT_TRUE(terminal.Type("1 -order_by par\t", "ams")) << terminal.shown();
    EXPECT_TRUE(terminal.Type("-select params\n", "view> ")) << terminal.shown();
    EXPECT_NE(terminal.shown().find("18,781"), std::string::npos);
    EXPECT_TRUE(terminal.Type("quit\n", "quit"));
    EXPECT_EQ(terminal.Finish(), 0);
  }
  const std::string kept = Content(home + "/.local/state/stepscope/view_history");
  EXPECT_NE(kept.find("scope"), std::string::npos) << kept;
  Terminal again(home);
  ASSERT_TRUE(again.ReadUntil("view> "));
  EXPECT_TRUE(again.Type("\x1b[A\x1b[A", "-max_depth 1")) << again.shown();  // up, up
  EXPECT_TRUE(again.Type("\n", "view> ")) << again.shown();
  EXPECT_NE(again.shown().find("18,781"), std::string::npos);
  EXPECT_TRUE(again.Type("\x04", "\n"));  // the end of the input
  EXPECT_EQ(again.Finish(), 0);
}

TEST(ViewPrompt, ControlCDropsTheLineAndOtherAlphabetsAreTyped) {
  if (!HasTerminals()) GTEST_SKIP() << "no pseudo-terminal here: mount devpts on /dev/pts";
  const TempDir folder;
  Terminal terminal(folder.path());
  ASSERT_TRUE(terminal.ReadUntil("view> ")) << terminal.shown();
  EXPECT_TRUE(terminal.Type("nonsense 卷积", "nonsense 卷积")) << terminal.shown();
  EXPECT_TRUE(terminal.Type("\x03", "view> ")) << terminal.shown();
  EXPECT_EQ(terminal.shown().find("valid command"), std::string::npos) << terminal.shown();
  EXPECT_TRUE(terminal.Type("quit\n", "quit"));
  EXPECT_EQ(terminal.Finish(), 0);
}

}  // namespace
}  // namespace stepscope
