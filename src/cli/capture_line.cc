#include "cli/capture_line.h"

#include <fmt/format.h>
#include <unistd.h>

#include <cstdio>
#include <utility>

#include "present/unicode.h"
#include "present/units.h"

namespace stepscope {
namespace {

std::string_view Doing(CapturePhase phase) {
  switch (phase) {
    case CapturePhase::kConnecting:
      return "connecting to";
    case CapturePhase::kOthers:
      return "waiting until another capture ends:";
    case CapturePhase::kPoll:
      return "waiting to be asked by";
    case CapturePhase::kWarmUp:
      return "warming up:";
    case CapturePhase::kCollecting:
      return "collecting from";
    case CapturePhase::kWriting:
      return "waiting for the profile of";
  }
  std::unreachable();
}

}  // namespace

std::string CaptureSentence(const CaptureMoment& moment) {
  std::string out = fmt::format("{} {}", Doing(moment.phase), moment.what);
  if (moment.seconds_left > 0) out += fmt::format(", {:.1f} s left", moment.seconds_left);
  if (moment.bytes > 0) out += fmt::format(", {}", FormatBytes(static_cast<int64_t>(moment.bytes)));
  return out;
}

CaptureLine::CaptureLine() : wanted_(isatty(STDERR_FILENO) == 1) {}

void CaptureLine::Show(const CaptureMoment& moment) {
  if (!wanted_) return;
  std::string text = Printable(CaptureSentence(moment));
  if (text == drawn_) return;
  drawn_ = std::move(text);
  fmt::print(stderr, "\r\x1b[2K{} (Ctrl-C: end now, keep what there is)", drawn_);
  std::fflush(stderr);
}

void CaptureLine::Finish() {
  if (drawn_.empty()) return;
  std::fputs("\r\x1b[2K", stderr);
  std::fflush(stderr);
  drawn_.clear();
}

}  // namespace stepscope
