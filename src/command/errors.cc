#include "command/errors.h"

#include <fmt/format.h>

#include <cstdio>
#include <utility>

#include "present/unicode.h"
#include "present/units.h"

namespace stepscope {

int ExitCodeFor(ErrorCode code) {
  switch (code) {
    case ErrorCode::kCannotRead:
    case ErrorCode::kDamaged:
    case ErrorCode::kUnsupported:
    case ErrorCode::kCannotWrite:
      return kExitCannotRead;
    case ErrorCode::kUsage:
      return kExitUsage;
    case ErrorCode::kInterrupted:
      return kExitInterrupted;
  }
  std::unreachable();
}

std::string FormatError(std::string_view verb, const Error& error) {
  std::string out = verb.empty() ? "stepscope: " : fmt::format("stepscope {}: ", verb);
  if (!error.file.empty()) out += Printable(error.file) + ": ";
  out += Printable(error.sentence);
  if (error.offset) out += fmt::format(" (at byte {})", FormatCount(*error.offset));
  out += '\n';
  if (!error.next_step.empty()) out += fmt::format("  next: {}\n", Printable(error.next_step));
  return out;
}

int PrintError(std::string_view verb, const Error& error) {
  const std::string text = FormatError(verb, error);
  std::fwrite(text.data(), 1, text.size(), stderr);
  return ExitCodeFor(error.code);
}

}  // namespace stepscope
