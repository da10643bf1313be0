#include <optional>
#include <string>
#include <vector>

#include "command/options.h"
#include "command/output.h"
#include "command/run_verb.h"
#include "command/verb.h"
#include "read/memory_snapshot/snapshot.h"
#include "tools/memory/memory_text.h"
#include "words/tools.h"

namespace stepscope {
namespace {

constexpr SayFrom<kToolsTexts> Say;

struct MemoryOptions {
  OutputOptions output;
  std::vector<std::string> paths;
  std::string against;
  int64_t top = 10;
};

OptionParser ParserFor(MemoryOptions& options) {
  OptionParser parser("memory", "SNAPSHOT", Say("memory.about"));
  parser.Text("--against", "SNAPSHOT", Say("memory.against"), &options.against);
  parser.Integer("--top", "N", Say("memory.top"), &options.top, 1);
  AddOutputOptions(parser, &options.output);
  parser.Positionals("SNAPSHOT", &options.paths, 1, 1);
  parser.Example("stepscope memory snapshot.pickle", Say("memory.example"));
  parser.Example("stepscope memory after.pickle --against before.pickle",
                 Say("memory.example-against"));
  parser.Example("stepscope memory --json snapshot.pickle", Say("memory.example-json"));
  return parser;
}

Result<std::string> Run(const MemoryOptions& options) {
  const Result<MemorySnapshot> snapshot = ReadMemorySnapshot(options.paths.front());
  if (!snapshot) return std::unexpected(snapshot.error());
  const MemorySummary summary = SummarizeMemory(*snapshot);
  std::optional<MemorySummary> earlier;
  if (!options.against.empty()) {
    const Result<MemorySnapshot> before = ReadMemorySnapshot(options.against);
    if (!before) return std::unexpected(before.error());
    earlier = SummarizeMemory(*before);
  }
  const MemoryView view{summary, earlier ? &*earlier : nullptr, static_cast<size_t>(options.top)};
  return options.output.json ? MemoryJson(view) : MemoryText(view, StyleFor(options.output));
}

}  // namespace

int RunMemory(std::span<char*> arguments) {
  MemoryOptions options;
  const OptionParser parser = ParserFor(options);
  if (const auto ended = ParseOrHelp("memory", parser, arguments)) return *ended;
  return ExitCodeAfter("memory", Run(options));
}

}  // namespace stepscope
