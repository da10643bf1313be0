#include "command/errors.h"

#include <fmt/format.h>

#include <cstdio>
#include <utility>

#include "command/terminal_language.h"
#include "present/unicode.h"
#include "words/command.h"

namespace stepscope {
namespace {

constexpr SayFrom<kCommandTexts> Say;

}  // namespace

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

std::string FormatError(std::string_view verb, const Error& error, Language language) {
  std::string out = verb.empty() ? "stepscope: " : fmt::format("stepscope {}: ", verb);
  if (!error.file.empty()) out += Printable(error.file) + ": ";
  out += Printable(Render(error.sentence, language));
  if (error.offset) out += Render(Say("command.at-byte", *error.offset), language);
  out += '\n';
  if (!error.next_step.empty()) {
    const std::string step = Printable(Render(error.next_step, language));
    out += Render(Say("command.next", step), language) + '\n';
  }
  return out;
}

int PrintError(std::string_view verb, const Error& error) {
  const std::string text = FormatError(verb, error, TerminalLanguage());
  std::fwrite(text.data(), 1, text.size(), stderr);
  return ExitCodeFor(error.code);
}

void PrintNote(std::string_view verb, const Messages& note) {
  fmt::print(stderr, "stepscope {}: {}\n", verb, Printable(Render(note, TerminalLanguage())));
}

}  // namespace stepscope
