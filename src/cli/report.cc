#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <string>
#include <vector>

#include "advise/settings.h"
#include "base/memory.h"
#include "base/task_pool.h"
#include "cli/advise_inputs.h"
#include "command/ask.h"
#include "command/damage.h"
#include "command/options.h"
#include "command/output.h"
#include "command/progress_bar.h"
#include "command/run_verb.h"
#include "command/step_range.h"
#include "command/verb.h"
#include "io/atomic_file.h"
#include "link/linked_trace.h"
#include "present/html/one_file.h"
#include "present/ranks.h"
#include "present/report_csv.h"
#include "present/report_json.h"
#include "present/report_text.h"
#include "present/reports_json.h"
#include "read/open.h"
#include "read/trace_readers.h"
#include "study/read_jobs.h"
#include "study/study.h"
#include "words/cli.h"
#include "words/ranks.h"

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
  std::optional<int64_t> rank;
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
  parser.Custom(
      "--rank", "N", Say("report.help.rank"), [&options](std::string_view text) -> Sentences {
        int64_t rank = 0;
        const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), rank);
        if (error != std::errc{} || end != text.data() + text.size() || rank < 0) {
          return Say("report.help.takes-rank");
        }
        options.rank = rank;
        return {};
      });
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
  parser.Example("stepscope report rank*.json.gz", Say("report.help.example-job"));
  parser.Example("stepscope report --csv tables/ rank*.json.gz", Say("report.help.example-csv"));
  parser.Example("zstd -dc trace.json.zst | stepscope report -", Say("report.help.example-stdin"));
  return parser;
}

Result<void> WriteCsv(std::span<const Reported> reports, const JobsReport* jobs, Language language,
                      const std::string& directory) {
  std::vector<CsvTable> tables = ReportsCsv(reports, language);
  if (jobs != nullptr && !jobs->jobs.empty()) {
    std::ranges::move(RanksCsv(*jobs), std::back_inserter(tables));
  }
  std::vector<NamedContent> files;
  for (const CsvTable& table : tables) files.push_back({table.file_name, table.text});
  return WriteDirectory(directory, files);
}

TextOptions TextOptionsOf(const Options& options) {
  return {.style = StyleFor(options.output),
          .top = static_cast<size_t>(options.top),
          .all = options.all};
}

// Which digest to show in full: the rank asked for, or the one that sets the pace.
Result<size_t> ChosenRank(const JobsReport& report, const std::optional<int64_t>& wanted) {
  const Job& job = report.jobs.front();
  if (!wanted) return job.members[job.pace];
  std::vector<int64_t> known;
  for (size_t p = 0; p < job.ranks.size(); ++p) {
    if (job.ranks[p].rank == *wanted) return job.members[p];
    known.push_back(job.ranks[p].rank);
  }
  return Fail(ErrorCode::kUsage, Say("report.help.no-rank", *wanted), {},
              Say("report.help.ranks", fmt::format("{}", fmt::join(known, ", "))));
}

// The job, then one of its ranks.
std::string JobReportText(const JobsReport& jobs, std::span<const Error> failed,
                          const Reported& chosen, const Options& options) {
  const TextOptions text = TextOptionsOf(options);
  const SayIn<kRanksTexts> say(text.style);
  const Job& job = jobs.jobs.front();
  const int64_t rank = options.rank.value_or(job.ranks[job.pace].rank);
  return JobsText(jobs, failed, {.style = text.style, .top = text.top, .all = text.all}) + '\n' +
         (options.rank ? say("ranks.chosen", rank) : say("ranks.pace", rank)) + '\n' +
         ReportText(chosen, text);
}

Result<void> Show(std::span<const Reported> reports, const JobsReport* jobs,
                  const Options& options) {
  if (!options.csv_directory.empty()) {
    const Result<void> written =
        WriteCsv(reports, jobs, JsonLanguage(options.output), options.csv_directory);
    if (!written) return written;
  }
  std::string out;
  if (options.output.json) {
    WriteReportsJson(reports, jobs, JsonLanguage(options.output), out);
  } else if (jobs != nullptr && !jobs->jobs.empty()) {
    const Result<size_t> chosen = ChosenRank(*jobs, options.rank);
    if (!chosen) return std::unexpected(chosen.error());
    out = JobReportText(*jobs, {}, reports[*chosen], options);
  } else {
    out = ReportsText(reports, TextOptionsOf(options));
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

// Studies that are kept while many profiles are read: what a rank may take beside the two largest.
constexpr size_t kKeptPerFile = size_t{4} << 20;

// The files, where each is a profile by itself and there are several of them.
Result<std::vector<std::string>> ManyFiles(const Options& options) {
  Result<std::vector<FoundFile>> found = FindFiles(options.paths, options.run);
  if (!found) return std::unexpected(found.error());
  for (const FoundFile& file : *found) {
    const bool alone = file.type == FileType::kRunMetadata || file.path == "-";
    if (alone || (file.named && ReaderOf(file.type) == nullptr)) return std::vector<std::string>();
  }
  std::vector<std::string> files = ProfilesAmong(*found);
  if (files.size() < 2) files.clear();
  return files;
}

// The same from profiles that may have to be opened again.
Result<void> ShowJob(const ReadJobs& read, const StudyOptions& opening, const Options& options) {
  const Result<size_t> chosen = ChosenRank(read.report, options.rank);
  if (!chosen) return std::unexpected(chosen.error());
  const Result<RankReport> rank = ReportAgain(read, *chosen, opening);
  if (!rank) return std::unexpected(rank.error());
  if (Result<void> known = CheckDevice(rank->study->profile(), options.report.device); !known) {
    return known;
  }
  if (Result<void> known = CheckSteps(*rank->study, options.report.steps); !known) return known;
  return WriteOut(JobReportText(read.report, read.failed, rank->reported, options));
}

// One report after the other, two at a time; no more than two are in memory beside those kept.
Result<void> StreamJson(ReadJobs& read, StudyOptions opening, const Options& options) {
  const Language language = JsonLanguage(options.output);
  opening.progress = {};
  TaskPool pool(std::min(2U, TaskPool(opening.threads).threads()));
  opening.threads = std::max(1U, TaskPool(opening.threads).threads() / pool.threads());
  std::string out;
  ReportsJson json(out, language);
  const size_t reports = read.report.digests.size();
  for (size_t first = 0; first < reports; first += pool.threads()) {
    std::vector<Result<std::string>> texts(std::min<size_t>(pool.threads(), reports - first));
    pool.ForEach(texts.size(), [&](size_t i) {
      const Result<RankReport> rank = ReportAgain(read, first + i, opening);
      texts[i] = rank ? ReportsJson::TextOf(rank->reported, language)
                      : Result<std::string>(std::unexpected(rank.error()));
      read.studies[first + i] = nullptr;
    });
    for (const Result<std::string>& text : texts) {
      if (!text) return std::unexpected(text.error());
      json.Add(*text);
    }
    if (Result<void> written = WriteOut(out); !written) return written;
    out.clear();
  }
  json.Finish(&read.report, read.failed);
  return WriteOut(out);
}

// Without a job: one line each, from what is still open. False where not all are.
Result<bool> ShowUnrelated(const ReadJobs& read, const Options& options) {
  std::vector<Reported> reports;
  for (size_t i = 0; i < read.studies.size(); ++i) {
    if (read.studies[i] == nullptr) return false;
    reports.push_back(read.studies[i]->reported()[read.traces[i]]);
  }
  DamageIsShown();
  if (Result<void> shown = Show(reports, nullptr, options); !shown) {
    return std::unexpected(shown.error());
  }
  return true;
}

// Many profiles as text or JSON are read one or two at a time. False where all have to be open at
// once.
Result<bool> ShowMany(const StudyOptions& opening, const Options& options, ProgressBar& bar) {
  const bool chosen =
      !options.report.device.empty() || options.report.steps.first || options.report.steps.last;
  if (!options.csv_directory.empty() || !options.html_file.empty()) return false;
  if (chosen && (options.output.json || !options.rank)) return false;
  const Result<std::vector<std::string>> files = ManyFiles(options);
  if (!files || files->empty()) return false;
  Result<ReadJobs> read = ReadManyJobs(*files, opening, files->size() * kKeptPerFile);
  if (!read) return std::unexpected(read.error());
  const bool job = !read->report.jobs.empty();
  if (!job && (!read->failed.empty() || options.rank)) return false;
  bar.Finish();
  if (!job && !options.output.json) return ShowUnrelated(*read, options);
  if (job && options.rank) {
    if (Result<size_t> known = ChosenRank(read->report, options.rank); !known) {
      return std::unexpected(known.error());
    }
  }
  if (options.output.json) DamageIsShown();
  const Result<void> shown =
      options.output.json ? StreamJson(*read, opening, options) : ShowJob(*read, opening, options);
  if (!shown) return std::unexpected(shown.error());
  return true;
}

Result<void> Run(const Options& options) {
  Result<Settings> settings = LoadSettings(options.config);
  if (!settings) return std::unexpected(settings.error());
  ProgressBar bar;
  const auto threads = static_cast<unsigned>(options.output.threads);
  const StudyOptions opening{.run = options.run,
                             .report = options.report,
                             .settings = std::move(*settings),
                             .threads = threads,
                             .progress = bar.callback(),
                             .ask = AskUser()};
  const Result<bool> many = ShowMany(opening, options, bar);
  if (!many) return std::unexpected(many.error());
  if (*many) return {};
  const Result<std::unique_ptr<Study>> study = Study::Open(options.paths, opening);
  if (!study) return std::unexpected(study.error());
  ReuseFreedMemory();
  if (Result<void> known = CheckDevice((*study)->profile(), options.report.device); !known) {
    return known;
  }
  if (Result<void> known = CheckSteps(**study, options.report.steps); !known) return known;
  const std::vector<Reported> reported = (*study)->reported();
  const JobsReport* const jobs = reported.size() > 1 ? &(*study)->jobs() : nullptr;
  bar.Finish();
  if (options.rank && (jobs == nullptr || jobs->jobs.empty())) {
    return Fail(ErrorCode::kUsage, Say("report.help.many-ranks"), {},
                Say("report.help.give-ranks"));
  }
  DamageIsShown();
  const Result<void> shown = Show(reported, jobs, options);
  if (!shown || options.html_file.empty()) return shown;
  TaskPool pool(threads);
  const Result<std::string> page = OneFileHtml(reported, jobs, JsonLanguage(options.output), pool);
  if (!page) return std::unexpected(page.error());
  return WriteFile(options.html_file, *page);
}

}  // namespace

int RunReport(std::span<char*> arguments) {
  Options options;
  const OptionParser parser = Parser(options);
  if (const auto ended = ParseOrHelp(kVerb, parser, arguments)) return *ended;
  return ExitCodeAfter(kVerb, Run(options));
}

}  // namespace stepscope
