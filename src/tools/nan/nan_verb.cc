#include <algorithm>
#include <filesystem>
#include <string>
#include <tuple>
#include <vector>

#include "command/options.h"
#include "command/output.h"
#include "command/run_verb.h"
#include "command/verb.h"
#include "io/atomic_file.h"
#include "io/byte_source.h"
#include "io/input_damage.h"
#include "read/tfevents/log_dir.h"
#include "read/tfevents/run_log.h"
#include "tools/events/event_log.h"
#include "tools/nan/nan_hunt.h"
#include "tools/nan/nan_text.h"
#include "tools/nan/tfdbg/check_numerics_log.h"
#include "tools/nan/tfdbg/debug_dump.h"
#include "words/tools.h"

namespace stepscope {
namespace {

constexpr SayFrom<kToolsTexts> Say;

namespace fs = std::filesystem;

struct NanOptions {
  OutputOptions output;
  std::vector<std::string> paths;
  std::string dot_file;
  bool all = false;
  bool csv = false;

  Language language() const { return JsonLanguage(output); }
  NanDetail detail() const { return all ? NanDetail::kAll : NanDetail::kFirst; }
};

OptionParser ParserFor(NanOptions& options) {
  OptionParser parser("nan", "DUMP|LOG|LOGDIR", Say("nan.about"));
  parser.Flag("--all", Say("nan.all"), &options.all);
  parser.Text("--graph", "FILE.dot", Say("nan.dot"), &options.dot_file);
  parser.Flag("--csv", Say("nan.csv"), &options.csv);
  AddOutputOptions(parser, &options.output);
  parser.Positionals("DUMP", &options.paths, 1, 1);
  parser.Example("stepscope nan /tmp/tfdbg", Say("nan.example"));
  parser.Example("stepscope nan train.log", Say("nan.example-log"));
  parser.Example("stepscope nan logs/", Say("nan.example-events"));
  return parser;
}

Result<std::string> FromDump(const NanOptions& options) {
  const Result<DebugDump> dump = ReadDebugDump(options.paths.front());
  if (!dump) return std::unexpected(dump.error());
  for (const DebugDamage& damage : dump->damage) {
    NoteDamage(damage.file, "damaged-records", damage.sentence, damage.offset);
  }
  const NanHunt hunt = HuntNan(*dump);
  if (!options.dot_file.empty()) {
    const Result<void> written = WriteFile(options.dot_file, NanHuntDot(*dump, hunt));
    if (!written) return std::unexpected(written.error());
  }
  if (options.output.json) return NanHuntJson(*dump, hunt, options.language());
  if (options.csv) return NanHuntCsv(hunt);
  return NanHuntText(*dump, hunt, options.detail(), StyleFor(options.output));
}

Result<std::string> FromEvents(const NanOptions& options) {
  const Result<std::vector<EventRun>> runs = FindEventRuns(options.paths);
  if (!runs) return std::unexpected(runs.error());
  std::vector<NanScalar> scalars;
  for (const EventRun& run : *runs) {
    const RunLog log = ReadRun(run.name, run.files, {});
    NoteDamageOf(log);
    for (const TagSeries& series : log.tags) {
      if (!series.first_not_finite) continue;
      scalars.push_back(
          {run.name, series.tag, *series.first_not_finite, series.last_finite_before});
    }
  }
  std::ranges::sort(scalars, {}, [](const NanScalar& one) {
    return std::tie(one.first.wall_time, one.run, one.tag);
  });
  if (options.output.json) return NanScalarsJson(scalars, options.language());
  if (options.csv) return NanScalarsCsv(scalars);
  return NanScalarsText(scalars, StyleFor(options.output));
}

Result<std::string> FromLog(const NanOptions& options) {
  const Result<FileBytes> log = ReadWhole(options.paths.front());
  if (!log) return std::unexpected(log.error());
  if (log->damaged()) NoteDamage(options.paths.front(), *log->damage());
  const auto messages = FindCheckNumerics({log->bytes().data(), log->bytes().size()});
  if (options.output.json) return NanMessagesJson(messages, options.language());
  if (options.csv) return NanMessagesCsv(messages, options.language());
  return NanMessagesText(messages, options.detail(), StyleFor(options.output));
}

Result<std::string> Run(const NanOptions& options) {
  const fs::path path = options.paths.front();
  std::error_code error;
  if (fs::is_directory(path, error)) {
    return IsDebugDump(path.string()) ? FromDump(options) : FromEvents(options);
  }
  return IsEventFileName(path.filename().string()) ? FromEvents(options) : FromLog(options);
}

}  // namespace

int RunNan(std::span<char*> arguments) {
  NanOptions options;
  const OptionParser parser = ParserFor(options);
  if (const auto ended = ParseOrHelp("nan", parser, arguments)) return *ended;
  return ExitCodeAfter("nan", Run(options));
}

}  // namespace stepscope
