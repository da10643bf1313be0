#include <fmt/format.h>

#include <algorithm>
#include <string>
#include <vector>

#include "advise/settings.h"
#include "command/options.h"
#include "command/output.h"
#include "command/progress_bar.h"
#include "command/run_verb.h"
#include "command/step_range.h"
#include "command/verb.h"
#include "io/atomic_file.h"
#include "present/flight.h"
#include "present/ranks.h"
#include "ranks/flight_recorder.h"
#include "read/open.h"
#include "read/trace_readers.h"
#include "study/read_jobs.h"
#include "words/cli.h"
#include "words/ranks.h"

namespace stepscope {
namespace {

constexpr SayFrom<kRanksTexts, kCliTexts> Say;

constexpr std::string_view kVerb = "ranks";

struct Options {
  std::vector<std::string> paths;
  OutputOptions output;
  StepRange steps;
  std::string csv_directory, run;
  int64_t top = 8;
  bool all = false;
};

OptionParser Parser(Options& options) {
  OptionParser parser(kVerb, "[OPTIONS] PATH...", Say("ranks.help.about"));
  parser.Integer("--top", "N", Say("report.help.top"), &options.top, 1, 1'000'000);
  parser.Flag("--all", Say("ranks.help.all"), &options.all);
  parser.Custom("--steps", "A-B", Say("report.help.steps"), [&options](std::string_view text) {
    return ParseStepRange(text, options.steps.first, options.steps.last);
  });
  parser.Text("--run", "NAME", Say("cli.run"), &options.run);
  parser.Text("--csv", "DIR", Say("report.help.csv"), &options.csv_directory);
  AddOutputOptions(parser, &options.output);
  parser.Positionals("PATH", &options.paths, 1);
  parser.Example("stepscope ranks rank*.pt.trace.json.gz", Say("ranks.help.example"));
  parser.Example("stepscope ranks --json runs/", Say("ranks.help.example-json"));
  parser.Example("stepscope ranks /tmp/nccl_trace_rank_*", Say("ranks.help.example-flight"));
  parser.Example("stepscope ranks one/ two/ four/", Say("ranks.help.example-scaling"));
  return parser;
}

struct Files {
  std::vector<std::string> profiles, dumps;
};

bool IsDump(const std::string& path) {
  const Result<std::string> head = HeadOf(path, kSniffedBytes);
  return head && IsFlightDump(*head);
}

// Files of types that no reader knows are left out where a directory has them, and read (which says
// what is wrong with them) where the user named them.
Result<Files> FilesOf(const Options& options) {
  Result<std::vector<FoundFile>> found = FindFiles(options.paths, options.run);
  if (!found) return std::unexpected(found.error());
  Files files;
  std::vector<FoundFile> others;
  for (FoundFile& file : *found) {
    const bool known = file.type == FileType::kRecording || ReaderOf(file.type) != nullptr;
    const bool maybe = !known || file.type == FileType::kChromeJson;
    if (maybe && file.path != "-" && IsDump(file.path)) {
      files.dumps.push_back(std::move(file.path));
    } else {
      others.push_back(std::move(file));
    }
  }
  files.profiles = ProfilesAmong(others);
  if (!files.profiles.empty() || !files.dumps.empty()) return files;
  return Fail(ErrorCode::kCannotRead, Say("ranks.no-profile"), options.paths.front(),
              Say("ranks.give-files"));
}

Result<void> WriteCsvFiles(const JobsReport& report, const std::string& directory) {
  const std::vector<CsvTable> tables = RanksCsv(report);
  std::vector<NamedContent> files;
  for (const CsvTable& table : tables) files.push_back({table.file_name, table.text});
  return WriteDirectory(directory, files);
}

// One file, or files that are no ranks, are a slip of the user's.
Result<void> CheckJobs(const ReadJobs& read) {
  if (!read.report.jobs.empty() || read.report.scaling) return {};
  const bool one = read.report.digests.size() == 1;
  Error error{ErrorCode::kUsage, one ? Say("ranks.one-profile") : Say("ranks.no-job"),
              one ? read.report.digests.front().path : std::string(), std::nullopt,
              one ? Say("ranks.give-all") : Say("ranks.name-them")};
  if (!read.failed.empty()) error = read.failed.front();
  return std::unexpected(std::move(error));
}

Result<void> RunDumps(const std::vector<std::string>& paths, const Options& options) {
  std::vector<FlightDump> dumps;
  std::vector<Error> failed;
  for (const std::string& path : paths) {
    Result<FlightDump> dump = ReadFlightDump(path);
    if (dump) {
      dumps.push_back(std::move(*dump));
    } else {
      failed.push_back(std::move(dump.error()));
    }
  }
  if (dumps.empty()) return std::unexpected(std::move(failed.front()));
  const std::vector<FlightFinding> findings = AnalyzeFlight(dumps);
  if (!options.output.json) {
    return WriteOut(FlightText(dumps, findings, failed, StyleFor(options.output)));
  }
  std::string out;
  JsonWriter json(out, JsonLanguage(options.output));
  WriteFlightJson(dumps, findings, failed, json);
  return WriteOut(out + '\n');
}

Result<void> Run(const Options& options) {
  const Result<Files> files = FilesOf(options);
  if (!files) return std::unexpected(files.error());
  if (files->profiles.empty()) return RunDumps(files->dumps, options);
  ProgressBar bar;
  StudyOptions study;
  study.report.steps = options.steps;
  study.threads = static_cast<unsigned>(options.output.threads);
  study.progress = bar.callback();
  const Result<ReadJobs> read = ReadManyJobs(files->profiles, study, 0);
  bar.Finish();
  if (!read) return std::unexpected(read.error());
  if (Result<void> checked = CheckJobs(*read); !checked) return checked;
  if (!options.csv_directory.empty()) {
    const Result<void> written = WriteCsvFiles(read->report, options.csv_directory);
    if (!written) return written;
  }
  if (!options.output.json) {
    return WriteOut(JobsText(read->report, read->failed,
                             {.style = StyleFor(options.output),
                              .top = static_cast<size_t>(options.top),
                              .all = options.all}));
  }
  std::string out;
  JsonWriter json(out, JsonLanguage(options.output));
  WriteRanksJson(read->report, read->failed, json);
  return WriteOut(out + '\n');
}

}  // namespace

int RunRanks(std::span<char*> arguments) {
  Options options;
  const OptionParser parser = Parser(options);
  if (const auto ended = ParseOrHelp(kVerb, parser, arguments)) return *ended;
  return ExitCodeAfter(kVerb, Run(options));
}

}  // namespace stepscope
