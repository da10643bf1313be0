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
#include "present/csv.h"
#include "present/unicode.h"

namespace stepscope {
namespace {

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
  return Fail(ErrorCode::kCannotWrite, std::string("cannot write: ") + std::strerror(errno), where,
              "make room or choose another place");
}

}  // namespace

void AddOutputOptions(OptionParser& parser, OutputOptions* into) {
  parser.Flag("--json", "print JSON", &into->json);
  parser.Flag("--ascii", "plain ASCII instead of Unicode", &into->ascii);
  parser.Choice("--color", {"auto", "always", "never"},
                "colour; auto: on a terminal and without NO_COLOR", &into->color);
  parser.Integer("--width", "N", "columns to use instead of the terminal's", &into->width, 60, 400);
  parser.Integer("--threads", "N", "threads to read and analyse with (default: all cores)",
                 &into->threads, 1, 1024);
  parser.Choice("--lang", {"en", "zh"},
                "language; text: the locale's by default, JSON: English by default", &into->lang);
  parser.Custom("--raw-csv", "", "CSV with cells as they are: a spreadsheet may run some of them",
                [](std::string_view) {
                  KeepCsvRaw();
                  return std::string();
                });
  AddReadingOptions(parser);
}

void AddReadingOptions(OptionParser& parser) {
  parser.Custom("--strict", "", "exit 1 when a file is cut or damaged; everything is still printed",
                [](std::string_view) {
                  BeStrict();
                  return std::string();
                });
  parser.Custom("--memory-limit", "SIZE",
                "most memory to use, like 8G (default: what the machine or cgroup allows)",
                [](std::string_view text) -> std::string {
                  const std::optional<uint64_t> bytes = ParseMemorySize(text);
                  if (!bytes) return "takes a size like 8G or 512M";
                  LimitMemory(*bytes);
                  return "";
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
    return CannotWrite("standard output");
  }
  return {};
}

}  // namespace stepscope
