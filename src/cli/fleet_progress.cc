#include "cli/fleet_progress.h"

#include <fmt/format.h>
#include <unistd.h>

#include <cstdio>

#include "words/fleet.h"

namespace stepscope {
namespace {

constexpr SayFrom<kFleetTexts> Say;
constexpr std::chrono::milliseconds kOnTerminal{200};
constexpr std::chrono::seconds kInLog{30};

}  // namespace

FleetProgress::FleetProgress(Language language)
    : language_(language), terminal_(isatty(STDERR_FILENO) == 1) {
  next_ = started_ + (terminal_ ? Clock::duration(kOnTerminal) : Clock::duration(kInLog));
}

FleetProgress::~FleetProgress() { Finish(); }

void FleetProgress::Show(const fleet::Counts& counts) {
  const Clock::time_point now = Clock::now();
  if (now < next_ || counts.done == 0) return;
  next_ = now + (terminal_ ? Clock::duration(kOnTerminal) : Clock::duration(kInLog));
  const double seconds = std::chrono::duration<double>(now - started_).count();
  const double rate = static_cast<double>(counts.done) / seconds;
  const double left = static_cast<double>(counts.all - counts.done) / rate;
  const Message line = Say("fleet.progress", counts.done, counts.all, counts.failed, rate,
                           DurationNs{static_cast<int64_t>(left) * 1'000'000'000});
  const std::string text = Render(line, language_);
  const std::string shown = terminal_ ? "\r\x1b[2K" + text : "stepscope fleet: " + text + "\n";
  std::fwrite(shown.data(), 1, shown.size(), stderr);
  std::fflush(stderr);
  drawn_ = terminal_;
}

void FleetProgress::Finish() {
  if (!drawn_) return;
  std::fputs("\r\x1b[2K", stderr);
  std::fflush(stderr);
  drawn_ = false;
}

}  // namespace stepscope
