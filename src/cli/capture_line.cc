#include "cli/capture_line.h"

#include <fmt/format.h>
#include <unistd.h>

#include <cstdio>

#include "command/terminal_language.h"
#include "present/capture_text.h"
#include "present/unicode.h"
#include "words/capture.h"

namespace stepscope {
namespace {

constexpr SayFrom<kCaptureTexts> Say;

}  // namespace

CaptureLine::CaptureLine() : wanted_(isatty(STDERR_FILENO) == 1) {}

void CaptureLine::Show(const CaptureMoment& moment) {
  if (!wanted_) return;
  const Message line = Say("capture.line", CaptureSentence(moment));
  std::string text = Printable(Render(line, TerminalLanguage()));
  if (text == drawn_) return;
  drawn_ = std::move(text);
  fmt::print(stderr, "\r\x1b[2K{}", drawn_);
  std::fflush(stderr);
}

void CaptureLine::Finish() {
  if (drawn_.empty()) return;
  std::fputs("\r\x1b[2K", stderr);
  std::fflush(stderr);
  drawn_.clear();
}

}  // namespace stepscope
