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
#include "words/cli.h"

namespace stepscope {
namespace {

constexpr SayFrom<kCliTexts> Say;

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
  OptionParser parser(kVerb, "[OPTIONS] PATH...", Say("report.help.about"));
  parser.Integer("--top", "N", Say("report.help.top"), &options.top, 1, 1'000'000);
  parser.Flag("--all", Say("report.help.all"), &options.all);
  parser.Custom("--steps", "A-B", Say("report.help.steps"), [&options](std::string_view text) {
    return ParseStepRange(text, options.report.steps.first, options.report.steps.last);
  });
  parser.Text("--device", "ID", Say("report.help.device"), &options.report.device);
  parser.Text("--run", "NAME", Say("cli.run"), &options.run);
  parser.Text("--csv", "DIR", Say("report.help.csv"), &options.csv_directory);
  parser.Text("--html", "FILE", Say("report.help.html"), &options.html_file);
  AddConfigOption(parser, &options.config);
  AddOutputOptions(parser, &options.output);
  parser.Positionals("PATH", &options.paths, 1);
  parser.Example("stepscope report trace.json.gz", Say("report.help.example"));
  parser.Example("stepscope report --top 20 --steps 5-8 trace.json.gz",
                 Say("report.help.example-steps"));
  parser.Example("stepscope report --json trace.json.gz", Say("report.help.example-json"));
  parser.Example("stepscope report --html report.html trace.json.gz",
                 Say("report.help.example-html"));
  parser.Example("stepscope report --csv tables/ rank*.json.gz", Say("report.help.example-csv"));
  parser.Example("zstd -dc trace.json.zst | stepscope report -", Say("report.help.example-stdin"));
  return parser;
}

Result<void> WriteCsv(std::span<const Reported> reports, Language language,
                      const std::string& directory) {
  const std::vector<CsvTable> tables = ReportsCsv(reports, language);
  std::vector<NamedContent> files;
  for (const CsvTable& table : tables) files.push_back({table.file_name, table.text});
  return WriteDirectory(directory, files);
}

Result<void> Show(std::span<const Reported> reports, const Options& options) {
  if (!options.csv_directory.empty()) {
    const Result<void> written =
        WriteCsv(reports, JsonLanguage(options.output), options.csv_directory);
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
  return Fail(ErrorCode::kUsage, Say("report.help.no-device", wanted), {},
              known.empty()
                  ? Say("report.help.leave-device")
                  : Say("report.help.devices", fmt::format("{}", fmt::join(known, ", "))));
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
  return Fail(
      ErrorCode::kUsage, Say("report.help.no-step"), {},
      first ? Say("report.help.step-numbers", *first, *last) : Say("report.help.leave-steps"));
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
  const Result<std::string> page = OneFileHtml(reported, JsonLanguage(options.output), pool);
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
