#include "cli/program.h"

#include <fmt/format.h>
#include <signal.h>

#include <unistd.h>

#include <algorithm>
#include <array>
#include <cstdio>
#include <new>
#include <span>
#include <string>
#include <string_view>
#include <system_error>
#include <vector>

#include "base/memory_limit.h"
#include "base/nearest.h"
#include "command/damage.h"
#include "command/errors.h"
#include "command/output.h"
#include "command/terminal_language.h"
#include "command/verb.h"
#include "io/input_damage.h"
#include "io/input_files.h"
#include "words/cli.h"
#include "words/command.h"

namespace stepscope {
namespace {

constexpr SayFrom<kCliTexts, kCommandTexts> Say;

// The verbs: one line each. Groups are what `stepscope --help` shows together.
constexpr std::array kAnswers{
    Verb{"report", "verb.report", RunReport},
    Verb{"advise", "verb.advise", RunAdvise},
    Verb{"explain", "verb.explain", RunExplain},
    Verb{"ranks", "verb.ranks", RunRanks},
    Verb{"diff", "verb.diff", RunDiff},
    Verb{"serve", "verb.serve", RunServe},
    Verb{"query", "verb.query", RunQuery},
    Verb{"export", "verb.export", RunExport},
    Verb{"fleet", "verb.fleet", RunFleet},
    Verb{"view", "verb.view", RunView},
    Verb{"timeline", "verb.timeline", RunTimeline},
    Verb{"graph", "verb.graph", RunGraph},
};

constexpr std::array kTake{
    Verb{"record", "verb.record", RunRecord},
    Verb{"capture", "verb.capture", RunCapture},
    Verb{"tune", "verb.tune", RunTune},
};

constexpr std::array kAround{
    Verb{"events", "verb.events", RunEvents}, Verb{"nan", "verb.nan", RunNan},
    Verb{"memory", "verb.memory", RunMemory}, Verb{"data", "verb.data", RunData},
    Verb{"doctor", "verb.doctor", RunDoctor},
};

struct VerbGroup {
  std::string_view title;
  std::span<const Verb> verbs;
};
constexpr std::array kGroups{
    VerbGroup{"verb.answers", kAnswers},
    VerbGroup{"verb.take", kTake},
    VerbGroup{"verb.around", kAround},
};

constexpr std::string_view kExamples = "verb.examples";

// A text of words/, or what stands there itself.
std::string Shown(std::string_view id) {
  const Text* text = FindText(id);
  return text == nullptr ? std::string(id) : Render(Message(text, {}), TerminalLanguage());
}

std::string Help() {
  const Language language = TerminalLanguage();
  std::string out = Render(Say("verb.head", STEPSCOPE_VERSION), language);
  for (const VerbGroup& group : kGroups) {
    out += fmt::format("\n{}\n", Shown(group.title));
    for (const Verb& verb : group.verbs)
      out += fmt::format("  {:<9} {}\n", verb.name, Shown(verb.summary));
  }
  return out + Render(Say("verb.foot", Shown(kExamples)), language);
}

int Print(std::string_view text, int exit_code) {
  const Result<void> written = WriteOut(text);
  return written ? exit_code : PrintError("", written.error());
}

int UnknownVerb(std::string_view name) {
  std::vector<std::string_view> known;
  for (const VerbGroup& group : kGroups) {
    for (const Verb& verb : group.verbs) known.push_back(verb.name);
  }
  const std::string_view near = Nearest(name, known);
  return PrintError("", {.code = ErrorCode::kUsage,
                         .sentence = near.empty() ? Say("command.no-verb", name)
                                                  : Say("command.no-verb-but", name, near),
                         .file = {},
                         .offset = {},
                         .next_step = "stepscope --help"});
}

// A file that grows past the limit of the shell is an error of the write, not the end of the
// program. A handler, not SIG_IGN: programs that `record` starts get the default back.
void PassFileSizeLimit() {
  struct sigaction action{};
  action.sa_handler = [](int) {};
  sigaction(SIGXFSZ, &action, nullptr);
}

// What to say when memory is gone, around the limit: made before, because nothing can be made then.
struct WordsWithoutMemory {
  std::string before, after;
};
WordsWithoutMemory& NoMemory() {
  static WordsWithoutMemory words;
  return words;
}

void PrepareForNoMemory() {
  constexpr std::string_view kLimit = "@";
  const Error error{ErrorCode::kCannotRead,
                    Say("program.no-memory", std::string(kLimit)),
                    {},
                    {},
                    Say("program.less-memory")};
  const std::string text = FormatError({}, error, TerminalLanguage());
  const size_t at = text.find(kLimit);
  NoMemory() = {text.substr(0, at), text.substr(at + kLimit.size())};
}

[[noreturn]] void EndWithoutMemory() {
  std::array<char, 32> limit;
  const int length = std::snprintf(limit.data(), limit.size(), "%.2f GiB",
                                   static_cast<double>(MemoryLimit()) / (1 << 30));
  for (const std::string_view part :
       {std::string_view(NoMemory().before),
        std::string_view(limit.data(), static_cast<size_t>(std::max(length, 0))),
        std::string_view(NoMemory().after)}) {
    (void)!write(STDERR_FILENO, part.data(), part.size());
  }
  _exit(kExitCannotRead);
}

// Verbs that start programs of others, which must not inherit a limit, and the one that has a limit
// for its profiles and goes on when one does not fit.
bool LimitsMemory(std::string_view verb) {
  return verb != "record" && verb != "tune" && verb != "capture" && verb != "doctor";
}

int RunVerb(const Verb& verb, std::span<char*> arguments) {
  if (LimitsMemory(verb.name)) LimitMemory(AllowedMemory());
  PrepareForNoMemory();
  // Also where an allocation fails on a thread that nobody asks for its result.
  if (verb.name != "serve") std::set_new_handler(EndWithoutMemory);
  try {
    return EndWithDamage(verb.name, verb.run(arguments));
  } catch (const std::bad_alloc&) {
    EndWithoutMemory();
  } catch (const std::system_error&) {
    EndWithoutMemory();  // a thread that could not be started for want of a stack
  }
}

}  // namespace

int RunProgram(int argc, char** argv) {
  ProtectInputs();
  RememberDamage();
  PassFileSizeLimit();
  const std::span<char*> arguments(argv, static_cast<size_t>(argc));
  ChooseTerminalLanguage(arguments);
  if (arguments.size() < 2) {
    (void)Print(Help(), kExitUsage);
    return kExitUsage;
  }
  const std::string_view word = arguments[1];
  if (word == "--help" || word == "-h" || word == "help") return Print(Help(), kExitFine);
  if (word == "--version")
    return Print(fmt::format("stepscope {}\n", STEPSCOPE_VERSION), kExitFine);
  for (const VerbGroup& group : kGroups) {
    for (const Verb& verb : group.verbs) {
      if (verb.name == word) return RunVerb(verb, arguments.subspan(2));
    }
  }
  return UnknownVerb(word);
}

}  // namespace stepscope
