#include "command/progress_bar.h"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <cstdio>

#include "base/message_saying.h"
#include "command/terminal_language.h"
#include "present/style.h"
#include "words/command.h"

namespace stepscope {
namespace {

constexpr int64_t kFirstNs = 500'000'000;
constexpr int64_t kEveryNs = 50'000'000;

}  // namespace

ProgressBar::ProgressBar() : wanted_(isatty(STDERR_FILENO) == 1), next_ns_(kFirstNs) {}

ProgressBar::~ProgressBar() { Finish(); }

Progress ProgressBar::callback() {
  if (!wanted_) return [](double, const char*) {};
  return [this](double share, const char* what) { Show(share, what); };
}

void ProgressBar::Show(double share, const char* what) {
  const int64_t now =
      std::chrono::duration_cast<std::chrono::nanoseconds>(Clock::now() - started_).count();
  int64_t due = next_ns_.load(std::memory_order_relaxed);
  if (now < due || !next_ns_.compare_exchange_strong(due, now + kEveryNs)) return;
  const std::scoped_lock lock(mutex_);
  const double clamped = std::clamp(share, 0.0, 1.0);
  const std::string bar = Style{}.Bar(clamped, 30);
  const auto filled = static_cast<int>(clamped * 30 + 0.999);
  // Readers name what they do in English, for all who listen.
  const std::string doing = Render(MessageSaying(kCommandTexts, what), TerminalLanguage());
  const std::string line = fmt::format("\r\x1b[2K{:<10} {}{:{}} {:3.0f} %", doing, bar, "",
                                       std::max(0, 30 - filled), clamped * 100);
  std::fwrite(line.data(), 1, line.size(), stderr);
  std::fflush(stderr);
  drawn_ = true;
}

void ProgressBar::Finish() {
  const std::scoped_lock lock(mutex_);
  if (!drawn_) return;
  std::fputs("\r\x1b[2K", stderr);
  std::fflush(stderr);
  drawn_ = false;
}

}  // namespace stepscope
