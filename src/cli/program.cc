#include "cli/program.h"

#include <fmt/format.h>

#include <array>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/nearest.h"
#include "command/errors.h"
#include "command/output.h"
#include "command/terminal_language.h"
#include "command/verb.h"
#include "words/cli.h"
#include "words/command.h"

namespace stepscope {
namespace {

constexpr SayFrom<kCliTexts, kCommandTexts> Say;

// The verbs: one line each. Groups are what `stepscope --help` shows together.
constexpr std::array kAnswers{
    Verb{"report", "verb.report", RunReport},    Verb{"advise", "verb.advise", RunAdvise},
    Verb{"explain", "verb.explain", RunExplain}, Verb{"serve", "verb.serve", RunServe},
    Verb{"view", "verb.view", RunView},          Verb{"timeline", "verb.timeline", RunTimeline},
    Verb{"graph", "verb.graph", RunGraph},
};

constexpr std::array kTake{
    Verb{"record", "verb.record", RunRecord},
    Verb{"capture", "verb.capture", RunCapture},
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

}  // namespace

int RunProgram(int argc, char** argv) {
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
      if (verb.name == word) return verb.run(arguments.subspan(2));
    }
  }
  return UnknownVerb(word);
}

}  // namespace stepscope
