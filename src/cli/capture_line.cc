#include "cli/capture_line.h"

#include <fmt/format.h>
#include <unistd.h>

#include <cstdio>

#include "present/capture_text.h"
#include "present/unicode.h"

namespace stepscope {

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
