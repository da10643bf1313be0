#include "command/output.h"

#include <sys/ioctl.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <initializer_list>
#include <memory>
#include <optional>

#include "base/memory_limit.h"
#include "command/damage.h"
#include "command/terminal_language.h"
#include "present/csv.h"
#include "present/unicode.h"
#include "words/command.h"
#include "words/system_reason.h"

namespace stepscope {
namespace {

constexpr SayFrom<kCommandTexts> Say;

std::string FromEnvironment(std::initializer_list<const char*> names) {
  for (const char* name : names) {
    // Read before any thread is started.
    const char* value = std::getenv(name);  // NOLINT(concurrency-mt-unsafe)
    if (value != nullptr && *value != '\0') return value;
  }
  return {};
}

TerminalFacts LookAtStdout() {
  TerminalFacts facts;
  facts.is_terminal = isatty(STDOUT_FILENO) == 1;
  winsize size{};
  if (facts.is_terminal && ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) == 0) {
    facts.columns = size.ws_col;
  }
  facts.no_color = FromEnvironment({"NO_COLOR"});
  facts.term = FromEnvironment({"TERM"});
  facts.columns_env = FromEnvironment({"COLUMNS"});
  facts.locale = FromEnvironment({"LC_ALL", "LC_CTYPE", "LANG"});
  facts.messages = FromEnvironment({"LC_ALL", "LC_MESSAGES", "LANG"});
  return facts;
}

std::unexpected<Error> CannotWrite(const std::string& where) {
  return Fail(ErrorCode::kCannotWrite, Say("command.cannot-write", SystemReason(errno)), where,
              Say("command.make-room"));
}

}  // namespace

void AddOutputOptions(OptionParser& parser, OutputOptions* into) {
  parser.Flag("--json", Say("command.json"), &into->json);
  parser.Flag("--ascii", Say("command.ascii"), &into->ascii);
  parser.Choice("--color", {"auto", "always", "never"}, Say("command.color"), &into->color);
  parser.Integer("--width", "N", Say("command.width"), &into->width, 60, 400);
  parser.Integer("--threads", "N", Say("command.threads"), &into->threads, 1, 1024);
  parser.Choice("--lang", {"en", "zh"}, Say("command.lang"), &into->lang);
  parser.Custom("--raw-csv", "", Say("command.raw-csv"), [](std::string_view) {
    KeepCsvRaw();
    return Sentences();
  });
  AddReadingOptions(parser);
}

void AddReadingOptions(OptionParser& parser) {
  parser.Custom("--strict", "", Say("command.strict"), [](std::string_view) {
    BeStrict();
    return Sentences();
  });
  parser.Custom("--memory-limit", "SIZE", Say("command.memory-limit"),
                [](std::string_view text) -> Sentences {
                  const std::optional<uint64_t> bytes = ParseMemorySize(text);
                  if (!bytes) return Say("command.takes-size");
                  LimitMemory(*bytes);
                  return {};
                });
}

Style StyleFor(const OutputOptions& options) {
  const ColorChoice color = options.color == "always"  ? ColorChoice::kAlways
                            : options.color == "never" ? ColorChoice::kNever
                                                       : ColorChoice::kAuto;
  return ChooseStyle(LookAtStdout(), {.color = color,
                                      .ascii = options.ascii,
                                      .width = static_cast<size_t>(options.width),
                                      .language = LanguageNamed(options.lang)});
}

Language JsonLanguage(const OutputOptions& options) {
  return LanguageNamed(options.lang).value_or(Language::kEnglish);
}

Result<void> WriteOut(std::string_view text, Escapes escapes) {
  const Sgr colors = escapes == Escapes::kColors ? Sgr::kPasses : Sgr::kNot;
  if (IsSafeText(text, colors)) return WriteBytesOut(text);
  return WriteBytesOut(SafeText(text, colors));
}

Result<void> WriteBytesOut(std::string_view text) {
  const bool written = std::fwrite(text.data(), 1, text.size(), stdout) == text.size();
  if ((!written || std::fflush(stdout) != 0) && errno != EPIPE) {
    return CannotWrite(Render(Say("command.standard-output"), TerminalLanguage()));
  }
  return {};
}

}  // namespace stepscope
