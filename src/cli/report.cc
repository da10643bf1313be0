#include <fmt/format.h>

#include <algorithm>
#include <string>
#include <vector>

#include "advise/settings.h"
#include "base/memory.h"
#include "cli/advise_inputs.h"
#include "command/damage.h"
#include "command/errors.h"
#include "command/options.h"
#include "command/output.h"
#include "command/progress_bar.h"
#include "command/step_range.h"
#include "command/verb.h"
#include "io/atomic_file.h"
#include "link/linked_trace.h"
#include "present/html/one_file.h"
#include "present/report_csv.h"
#include "present/report_json.h"
#include "present/report_text.h"
#include "study/study.h"

namespace stepscope {
namespace {

constexpr std::string_view kVerb = "report";

struct Options {
  std::vector<std::string> paths;
  OutputOptions output;
  ReportOptions report;
  std::string csv_directory, html_file, run, config;
  int64_t top = 8;
  bool all = false;
};

OptionParser Parser(Options& options) {
  OptionParser parser(kVerb, "[OPTIONS] PATH...",
                      "Says why the step is slow: how long steps take, where a step goes, why the "
                      "device\nidles, which ops, kernels and allocations matter, and how far the "
                      "profile can be trusted.\nPATH is a profile, a directory of profiles, or - "
                      "for standard input.\nStepscope recognises a file by its content, not by its "
                      "name; it may be gzip or zstd.");
  parser.Integer("--top", "N", "rows per table (default 8)", &options.top, 1, 1'000'000);
  parser.Flag("--all", "every row, every device, every step", &options.all);
  parser.Custom(
      "--steps", "A-B", "only the steps with these numbers", [&options](std::string_view text) {
        return ParseStepRange(text, options.report.steps.first, options.report.steps.last);
      });
  parser.Text("--device", "ID", "only this device, like gpu:0", &options.report.device);
  parser.Text("--run", "NAME", "which run of a log directory (default: the newest)", &options.run);
  parser.Text("--csv", "DIR", "write every table as a CSV file into this directory",
              &options.csv_directory);
  parser.Text("--html", "FILE", "also write the report as one HTML file that opens offline",
              &options.html_file);
  AddConfigOption(parser, &options.config);
  AddOutputOptions(parser, &options.output);
  parser.Positionals("PATH", &options.paths, 1);
  parser.Example("stepscope report trace.json.gz", "the whole story");
  parser.Example("stepscope report --top 20 --steps 5-8 trace.json.gz",
                 "longer tables, over four steps");
  parser.Example("stepscope report --json trace.json.gz", "for programs: docs/report-json.md");
  parser.Example("stepscope report --html report.html trace.json.gz",
                 "a page to mail or to keep as a CI artifact");
  parser.Example("stepscope report --csv tables/ rank*.json.gz",
                 "one file per table, with all ranks in it");
  parser.Example("zstd -dc trace.json.zst | stepscope report -", "from standard input");
  return parser;
}

Result<void> WriteCsv(std::span<const Reported> reports, const std::string& directory) {
  const std::vector<CsvTable> tables = ReportsCsv(reports);
  std::vector<NamedContent> files;
  for (const CsvTable& table : tables) files.push_back({table.file_name, table.text});
  return WriteDirectory(directory, files);
}

Result<void> Show(std::span<const Reported> reports, const Options& options) {
  if (!options.csv_directory.empty()) {
    const Result<void> written = WriteCsv(reports, options.csv_directory);
    if (!written) return written;
  }
  std::string out;
  if (options.output.json) {
    WriteReportsJson(reports, JsonLanguage(options.output), out);
  } else {
    out = ReportsText(reports, {.style = StyleFor(options.output),
                                .top = static_cast<size_t>(options.top),
                                .all = options.all});
  }
  return WriteOut(out);
}

// A device that no trace has is a slip of the user's, not an empty report.
Result<void> CheckDevice(const Profile& profile, const std::string& wanted) {
  if (wanted.empty()) return {};
  std::vector<std::string> known;
  for (const Trace& trace : profile.traces) {
    for (const Device& device : trace.devices) {
      std::string id = DeviceIdOf(device.type, device.index);
      if (id == wanted) return {};
      if (std::find(known.begin(), known.end(), id) == known.end()) known.push_back(std::move(id));
    }
  }
  return Fail(ErrorCode::kUsage, fmt::format("the profile has no device {}", wanted), {},
              known.empty() ? "leave --device out: the profile names none"
                            : fmt::format("--device takes {}", fmt::join(known, ", ")));
}

// The same for steps.
Result<void> CheckSteps(Study& study, const StepRange& wanted) {
  if (!wanted.first && !wanted.last) return {};
  std::optional<int64_t> first, last;
  for (size_t t = 0; t < study.size(); ++t) {
    for (const Step& step : study.linked(t).steps.items) {
      if (step.why_unused != WhyUnused::kNotSelected) return {};
      first = std::min(first.value_or(step.number), step.number);
      last = std::max(last.value_or(step.number), step.number);
    }
  }
  return Fail(ErrorCode::kUsage, "the profile has no step with such a number", {},
              first ? fmt::format("--steps takes numbers from {} to {}", *first, *last)
                    : "leave --steps out: the profile has no steps");
}

Result<void> Run(const Options& options) {
  Result<Settings> settings = LoadSettings(options.config);
  if (!settings) return std::unexpected(settings.error());
  ProgressBar bar;
  const auto threads = static_cast<unsigned>(options.output.threads);
  const Result<std::unique_ptr<Study>> study =
      Study::Open(options.paths, {.run = options.run,
                                  .report = options.report,
                                  .settings = std::move(*settings),
                                  .threads = threads,
                                  .progress = bar.callback()});
  if (!study) return std::unexpected(study.error());
  ReuseFreedMemory();
  if (Result<void> known = CheckDevice((*study)->profile(), options.report.device); !known) {
    return known;
  }
  if (Result<void> known = CheckSteps(**study, options.report.steps); !known) return known;
  const std::vector<Reported> reported = (*study)->reported();
  bar.Finish();
  DamageIsShown();
  const Result<void> shown = Show(reported, options);
  if (!shown || options.html_file.empty()) return shown;
  TaskPool pool(threads);
  const Result<std::string> page = OneFileHtml(reported, pool);
  if (!page) return std::unexpected(page.error());
  return WriteFile(options.html_file, *page);
}

}  // namespace

int RunReport(std::span<char*> arguments) {
  Options options;
  const OptionParser parser = Parser(options);
  const Result<OptionParser::Outcome> parsed = parser.Parse(arguments);
  if (!parsed) return PrintError(kVerb, parsed.error());
  const Result<void> done =
      *parsed == OptionParser::Outcome::kHelp ? WriteOut(parser.Help()) : Run(options);
  return done ? kExitFine : PrintError(kVerb, done.error());
}

}  // namespace stepscope
