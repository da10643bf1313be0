#include "command/run_verb.h"
#include "fleet/analyze.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <optional>
#include <string>

#include "base/memory_limit.h"
#include "base/task_pool.h"
#include "cli/fleet_page.h"
#include "cli/fleet_progress.h"
#include "cli/fleet_python.h"
#include "cli/fleet_ranks.h"
#include "cli/stop_on_signal.h"
#include "command/errors.h"
#include "command/options.h"
#include "command/output.h"
#include "command/verb.h"
#include "io/byte_source.h"
#include "present/json_writer.h"
#include "words/fleet.h"

namespace stepscope {
namespace {

constexpr std::string_view kVerb = "fleet";
constexpr SayFrom<kFleetTexts> Say;

struct Options {
  OutputOptions style;
  std::vector<std::string> words;  // the job, then paths
  std::string list, format = "parquet", pattern, again = "none", name_key;
  fleet::AnalyzeOptions analyze;
  int64_t batch = 1000;
  double seconds = 120, max_failed = 100;
};

OptionParser Parser(Options& options) {
  OptionParser parser(kVerb,
                      "analyze --paths-from LIST --out DIR [OPTIONS] | "
                      "ranks|compact|summary|regressions|page TABLES",
                      Say("fleet.help.about"));
  parser.Text("--paths-from", "LIST", Say("fleet.help.paths-from"), &options.list);
  parser.Text("--out", "DIR", Say("fleet.help.out"), &options.analyze.directory);
  parser.Choice("--format", {"parquet", "arrow", "jsonl"}, Say("fleet.help.format"),
                &options.format);
  parser.Integer("--batch", "N", Say("fleet.help.batch"), &options.batch, 1, 1'000'000);
  parser.Number("--timeout-per-file", "S", Say("fleet.help.timeout"), &options.seconds);
  parser.Text("--path-pattern", "PATTERN", Say("fleet.help.pattern"), &options.pattern);
  parser.Choice("--reanalyze", {"none", "failed", "older", "all"}, Say("fleet.help.reanalyze"),
                &options.again);
  parser.Number("--max-failed", "PERCENT", Say("fleet.help.max-failed"), &options.max_failed);
  parser.Text("--hash-names", "KEY", Say("fleet.help.hash-names"), &options.name_key);
  AddOutputOptions(parser, &options.style);
  parser.Positionals("PATH", &options.words);
  parser.Example("find profiles -name '*.json.gz' | stepscope fleet analyze --paths-from - --out t",
                 Say("fleet.help.example"));
  parser.Example("stepscope fleet ranks t", Say("fleet.help.example-ranks"));
  parser.Example("stepscope fleet summary t", Say("fleet.help.example-summary"));
  parser.Example("stepscope fleet page t -o fleet.html", Say("fleet.help.example-page"));
  parser.Example("stepscope fleet regressions t --fail-on slower",
                 Say("fleet.help.example-regressions"));
  return parser;
}

fleet::Again AgainNamed(std::string_view name) {
  if (name == "failed") return fleet::Again::kFailed;
  if (name == "older") return fleet::Again::kOlder;
  return name == "all" ? fleet::Again::kAll : fleet::Again::kNone;
}

// The key itself, or @FILE: command lines are seen by all users of a machine.
Result<void> TakeKey(Options& options) {
  options.analyze.name_key = options.name_key;
  if (!options.name_key.starts_with('@')) return {};
  const Result<FileBytes> bytes = ReadWhole(options.name_key.substr(1));
  if (!bytes) return std::unexpected(bytes.error());
  std::string key(bytes->bytes().data(), bytes->bytes().size());
  key.erase(key.find_last_not_of("\r\n") + 1);
  if (key.empty())
    return Fail(ErrorCode::kUsage, Say("fleet.empty-key"), options.name_key.substr(1));
  options.analyze.name_key = std::move(key);
  return {};
}

Result<void> Check(Options& options) {
  if (options.words.size() != 1 || options.words[0] != "analyze") {
    return Fail(ErrorCode::kUsage, Say("fleet.no-job"), {}, Say("fleet.see-help"));
  }
  if (options.list.empty() || options.analyze.directory.empty()) {
    return Fail(ErrorCode::kUsage, Say("fleet.needs"), {}, Say("fleet.see-help"));
  }
  if (!(options.seconds > 0)) {
    return Fail(ErrorCode::kUsage, Say("fleet.above-zero"));
  }
  if (!options.pattern.empty()) {
    Result<fleet::PathPattern> pattern = fleet::PathPattern::Parse(options.pattern);
    if (!pattern) return std::unexpected(pattern.error());
    options.analyze.pattern = std::move(*pattern);
  }
  if (Result<void> known = TakeKey(options); !known) return known;
  options.analyze.format = fleet::FormatNamed(options.format);
  options.analyze.again = AgainNamed(options.again);
  options.analyze.batch = static_cast<size_t>(options.batch);
  options.analyze.limits.time_per_file.ns = static_cast<int64_t>(options.seconds * 1e9);
  options.analyze.limits.workers =
      options.style.threads > 0 ? static_cast<unsigned>(options.style.threads) : UsableCores();
  // --memory-limit is that of a file; what this process keeps is small.
  options.analyze.limits.memory_per_file = MemoryLimit();
  LimitMemory(AllowedMemory());
  return {};
}

std::string JsonOf(const fleet::Counts& counts, const Options& options) {
  std::string text;
  JsonWriter json(text, JsonLanguage(options.style));
  json.BeginObject(JsonWriter::Layout::kLines);
  json.Field("schema", "stepscope.fleet-analyze/1");
  json.Field("directory", options.analyze.directory);
  json.Field("format", options.format);
  json.Field("read", counts.done);
  json.Field("ok", counts.ok);
  json.Field("partial", counts.partial);
  json.Field("failed", counts.failed);
  json.Field("skipped", counts.skipped);
  json.Field("batches", counts.batches);
  json.EndObject();
  return text + "\n";
}

std::string TextOf(const fleet::Counts& counts, const Options& options) {
  Messages lines;
  lines += Say("fleet.done", counts.done, counts.ok, counts.partial, counts.failed);
  if (counts.skipped > 0) lines += Say("fleet.skipped", counts.skipped);
  lines += Say("fleet.where", options.analyze.directory);
  return Render(lines, StyleFor(options.style).language) + "\n";
}

int ExitCodeOf(const fleet::Counts& counts, const Options& options) {
  const double share = counts.done == 0 ? 0
                                        : 100.0 * static_cast<double>(counts.failed) /
                                              static_cast<double>(counts.done);
  return share > options.max_failed ? kExitGateFailed : kExitFine;
}

Result<int> Analyze(Options& options) {
  if (Result<void> fits = Check(options); !fits) return std::unexpected(fits.error());
  Result<std::vector<fleet::ListedPath>> paths = fleet::ReadPathList(options.list);
  if (!paths) return std::unexpected(paths.error());
  const StopOnSignal signals;
  FleetProgress progress(StyleFor(options.style).language);
  const Result<fleet::Counts> counts =
      fleet::AnalyzeFleet(std::move(*paths), options.analyze, signals.token(),
                          [&](const fleet::Counts& now) { progress.Show(now); });
  progress.Finish();
  if (!counts) return std::unexpected(counts.error());
  const Result<void> written =
      WriteOut(options.style.json ? JsonOf(*counts, options) : TextOf(*counts, options));
  if (!written) return std::unexpected(written.error());
  return ExitCodeOf(*counts, options);
}

}  // namespace

int RunFleet(std::span<char*> arguments) {
  const auto given = [&](std::string_view option) {
    return std::ranges::any_of(
        arguments, [&](std::string_view argument) { return argument.starts_with(option); });
  };
  constexpr auto kQuestions = std::to_array<std::string_view>(
      {"summary", "regressions", "ranks", "compact", "page", "views", "spark"});
  if (!arguments.empty() && std::ranges::find(kQuestions, arguments[0]) != kQuestions.end()) {
    const std::span<char*> rest = arguments.subspan(1);
    const std::string_view question = arguments[0];
    if (question == "page" && given("--data")) return RunFleetPage(rest);
    if (question == "ranks" && given("--summaries")) return RunFleetRanks(rest);
    return AskPython(arguments[0], rest);
  }
  Options options;
  const OptionParser parser = Parser(options);
  if (const auto ended = ParseOrHelp(kVerb, parser, arguments)) return *ended;
  return ExitCodeAfter(kVerb, Analyze(options));
}

}  // namespace stepscope
