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
#include "command/verb.h"
#include "io/input_damage.h"
#include "io/input_files.h"

namespace stepscope {
namespace {

// The verbs: one line each. Groups are what `stepscope --help` shows together.
constexpr std::array kAnswers{
    Verb{"report", "why is my step slow: where it goes, why the device idles, which ops matter",
         RunReport},
    Verb{"advise", "what to change, the most valuable first; a gate for pipelines", RunAdvise},
    Verb{"explain", "what a rule of advise looks for, whose limit it uses, how to fix it",
         RunExplain},
    Verb{"ranks", "one answer for a job of many processes: who is late, why, what waiting costs",
         RunRanks},
    Verb{"diff", "what changed between two profiles, whether it is real; a gate for pipelines",
         RunDiff},
    Verb{"serve", "the same in the browser, with a timeline that stays smooth", RunServe},
    Verb{"query", "anything else: SQL over the tables of a profile", RunQuery},
    Verb{"export", "tables as Parquet, Arrow, CSV or SQLite; flame graphs; timelines", RunExport},
    Verb{"view", "tfprof's views: cost by name scope, graph, op type or line of code", RunView},
    Verb{"timeline", "a Chrome or Perfetto trace of one or many runs, merged", RunTimeline},
    Verb{"graph", "the model: shapes, parameters, trained and frozen variables, FLOPs", RunGraph},
};

constexpr std::array kTake{
    Verb{"record", "profile a program without changing it: stepscope record -- python train.py",
         RunRecord},
    Verb{"capture", "a profile of a program that runs already, and its report", RunCapture},
};

constexpr std::array kAround{
    Verb{"events", "scalars of TensorBoard event files: list, table, plot, follow", RunEvents},
    Verb{"nan", "which op made the first NaN or Inf, where it came from, how it spread", RunNan},
    Verb{"memory", "who holds GPU memory, what grows, why it ran out: PyTorch snapshots",
         RunMemory},
    Verb{"data", "what the input files allow; packs, verifies, splits TFRecord shards", RunData},
    Verb{"doctor", "can this machine profile, and is the framework built for it?", RunDoctor},
};

struct VerbGroup {
  std::string_view title;
  std::span<const Verb> verbs;
};
constexpr std::array kGroups{
    VerbGroup{"Answers from a profile", kAnswers},
    VerbGroup{"Taking a profile", kTake},
    VerbGroup{"Around the profile", kAround},
};

constexpr std::string_view kExamples =
    "  stepscope report trace.json.gz            the whole story of one profile\n"
    "  stepscope report --json trace.json.gz     the same for programs (docs/report-json.md)\n"
    "  stepscope report runs/                    every profile of a directory, the slowest in "
    "full\n"
    "  cat trace.json | stepscope report -       from standard input\n";

std::string Help() {
  std::string out = fmt::format(
      "stepscope {}: says why a training or inference step takes as long as it does\n\n"
      "usage: stepscope VERB [OPTIONS] PATH...\n",
      STEPSCOPE_VERSION);
  for (const VerbGroup& group : kGroups) {
    out += fmt::format("\n{}\n", group.title);
    for (const Verb& verb : group.verbs)
      out += fmt::format("  {:<9} {}\n", verb.name, verb.summary);
  }
  out += fmt::format(
      "\nExamples\n{}\n"
      "stepscope VERB --help lists the options of a verb.\n"
      "Exit codes: 0 fine, 1 cannot read, 2 usage, 3 a gate failed.\n",
      kExamples);
  return out;
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
  return PrintError(
      "", {.code = ErrorCode::kUsage,
           .sentence = near.empty()
                           ? fmt::format("there is no verb '{}'", name)
                           : fmt::format("there is no verb '{}'; did you mean {}?", name, near),
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

// Memory is gone: no allocation here.
[[noreturn]] void EndWithoutMemory() {
  std::array<char, 256> text;
  const uint64_t limit = MemoryLimit();
  const int length =
      std::snprintf(text.data(), text.size(),
                    "stepscope: there is not enough memory for this; the limit is %.2f GiB\n"
                    "  next: raise --memory-limit, use fewer --threads or a smaller profile\n",
                    static_cast<double>(limit) / (1 << 30));
  (void)!write(STDERR_FILENO, text.data(), static_cast<size_t>(std::max(length, 0)));
  _exit(kExitCannotRead);
}

// Verbs that start programs of others, which must not inherit a limit, and the one that has a limit
// for its profiles and goes on when one does not fit.
bool LimitsMemory(std::string_view verb) {
  return verb != "record" && verb != "capture" && verb != "doctor";
}

int RunVerb(const Verb& verb, std::span<char*> arguments) {
  if (LimitsMemory(verb.name)) LimitMemory(AllowedMemory());
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
