#include <re2/re2.h>

#include <algorithm>
#include <atomic>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "base/task_pool.h"
#include "command/damage.h"
#include "command/options.h"
#include "command/output.h"
#include "command/progress_bar.h"
#include "command/run_verb.h"
#include "command/verb.h"
#include "read/tfevents/log_dir.h"
#include "tools/events/event_log.h"
#include "tools/events/events_extract.h"
#include "tools/events/events_follow.h"
#include "tools/events/plot.h"
#include "tools/events/smoothing.h"
#include "tools/events/step_rate.h"
#include "tools/events/step_table.h"
#include "words/events.h"
#include "words/tools.h"

namespace stepscope {
namespace {

constexpr SayFrom<kToolsTexts, kEventsTexts> Say;

struct EventsOptions {
  OutputOptions output;
  std::vector<std::string> paths;
  std::string tag_pattern, run_pattern, extract_dir;
  bool csv = false, table = false, plot = false, follow = false, rate = false, raw = false;
  double smooth = 0;
  double idle_exit = 0;
};

OptionParser ParserFor(EventsOptions& options) {
  OptionParser parser("events", "LOGDIR...", Say("events.about"));
  parser.Text("--tag", "REGEX", Say("events.tag"), &options.tag_pattern);
  parser.Text("--run", "REGEX", Say("events.run"), &options.run_pattern);
  parser.Flag("--table", Say("events.table"), &options.table);
  parser.Flag("--csv", Say("events.csv"), &options.csv);
  parser.Flag("--plot", Say("events.plot"), &options.plot);
  parser.Number("--smooth", "W", Say("events.smooth"), &options.smooth);
  parser.Flag("--rate", Say("events.rate"), &options.rate);
  parser.Flag("--follow", Say("events.follow"), &options.follow);
  parser.Number("--idle-exit", "S", Say("events.for"), &options.idle_exit);
  parser.Flag("--raw", Say("events.raw"), &options.raw);
  parser.Text("--extract", "DIR", Say("events.extract"), &options.extract_dir);
  AddOutputOptions(parser, &options.output);
  parser.Positionals("LOGDIR", &options.paths, 1);
  parser.Example("stepscope events logs/", Say("events.example"));
  parser.Example("stepscope events logs/ --tag loss --plot --smooth 0.6",
                 Say("events.example-plot"));
  parser.Example("stepscope events logs/ --table --csv", Say("events.example-csv"));
  return parser;
}

Result<std::unique_ptr<RE2>> Compile(const std::string& pattern, const char* option) {
  auto regex = std::make_unique<RE2>(pattern, RE2::Quiet);
  if (regex->ok()) return regex;
  return Fail(ErrorCode::kUsage, Say("events.no-regex", option, regex->error()));
}

// Reads all runs in parallel; the result is in the order of the runs.
std::vector<RunLog> ReadRuns(const std::vector<EventRun>& runs, const ReadRunOptions& options,
                             unsigned threads) {
  uint64_t total = 0;
  for (const EventRun& run : runs) total += run.bytes;
  ProgressBar bar;
  const Progress progress = bar.callback();
  std::atomic<uint64_t> done = 0;
  ReadRunOptions with_progress = options;
  with_progress.read_bytes = [&](uint64_t bytes) {
    const uint64_t now = done += bytes;
    if (progress) {
      progress(static_cast<double>(now) / static_cast<double>(std::max<uint64_t>(total, 1)),
               "reading events");
    }
  };
  std::vector<RunLog> logs(runs.size());
  TaskPool pool(threads);
  pool.ForEach(runs.size(),
               [&](size_t i) { logs[i] = ReadRun(runs[i].name, runs[i].files, with_progress); });
  for (const RunLog& log : logs) NoteDamageOf(log);
  return logs;
}

void SmoothAll(std::vector<RunLog>& runs, double weight) {
  for (RunLog& run : runs) {
    for (TagSeries& series : run.tags) series.scalars = Smooth(series.scalars, weight);
  }
}

std::string Plots(const std::vector<RunLog>& runs, const Style& style) {
  std::map<std::string, std::vector<PlotSeries>> by_tag;
  for (const RunLog& run : runs) {
    for (const TagSeries& series : run.tags) {
      if (series.scalars.empty()) continue;
      PlotSeries& line = by_tag[series.tag].emplace_back();
      line.name = run.name;
      for (const ScalarPoint& point : series.scalars) {
        line.points.push_back({static_cast<double>(point.step), point.value});
      }
    }
  }
  std::string out;
  for (const auto& [tag, lines] : by_tag) {
    if (!out.empty()) out += "\n";
    out += RenderPlot(tag, style.Say(Say("events.column.step")), lines, {}, style);
  }
  return out.empty() ? style.Say(Say("events.no-scalars")) + "\n" : out;
}

// The tag with most points stands for the run.
std::vector<RunRate> Rates(const std::vector<RunLog>& runs) {
  std::vector<RunRate> rates;
  for (const RunLog& run : runs) {
    const TagSeries* most = nullptr;
    for (const TagSeries& series : run.tags) {
      if (most == nullptr || series.scalars.size() > most->scalars.size()) most = &series;
    }
    if (most == nullptr) continue;
    if (const auto rate = RateOf(most->scalars)) rates.push_back({run.name, most->tag, *rate});
  }
  return rates;
}

std::string Show(const EventsOptions& options, std::vector<RunLog>& runs) {
  if (options.output.json || (!options.csv && !options.rate)) DamageIsShown();
  const Style style = StyleFor(options.output);
  if (options.smooth > 0) SmoothAll(runs, options.smooth);
  if (options.output.json) return EventLogJson(runs, Rates(runs), JsonLanguage(options.output));
  if (options.table) {
    const StepTable table = TableOfSteps(runs);
    return options.csv ? StepTableCsv(table)
                       : StepTableText(table, style) + EventLogNotes(runs, style);
  }
  if (options.rate) {
    const std::vector<RunRate> rates = Rates(runs);
    return options.csv ? RatesCsv(rates) : RatesText(rates, style);
  }
  if (options.plot) return Plots(runs, style) + EventLogNotes(runs, style);
  if (options.csv) return EventPointsCsv(runs);
  return EventLogText(runs, style);
}

ReadRunOptions::Points PointsFor(const EventsOptions& options) {
  if (options.output.json) return ReadRunOptions::Points::kAll;
  const bool shows_points = options.table || options.rate || options.plot || options.csv;
  return shows_points ? ReadRunOptions::Points::kScalars : ReadRunOptions::Points::kNone;
}

Result<std::string> Run(const EventsOptions& options) {
  if (options.smooth < 0 || options.smooth >= 1) {
    return Fail(ErrorCode::kUsage, Say("events.smooth-takes"));
  }
  const auto tag = Compile(options.tag_pattern, "--tag");
  const auto name = Compile(options.run_pattern, "--run");
  if (!tag) return std::unexpected(tag.error());
  if (!name) return std::unexpected(name.error());
  const auto wanted_run = [&](const std::string& run) { return RE2::PartialMatch(run, **name); };
  const Style style = StyleFor(options.output);
  ReadRunOptions reading;
  reading.points = PointsFor(options);
  if (options.raw) reading.restarts = ReadRunOptions::Restarts::kKeep;
  if (!options.tag_pattern.empty()) {
    reading.wanted = [&](std::string_view text) {
      return RE2::PartialMatch(re2::StringPiece(text.data(), text.size()), **tag);
    };
  }
  if (options.follow) {
    return FollowEvents({options.paths, wanted_run, reading.wanted, options.idle_exit, style});
  }
  Result<std::vector<EventRun>> runs = FindEventRuns(options.paths);
  if (!runs) return std::unexpected(runs.error());
  std::erase_if(*runs, [&](const EventRun& run) { return !wanted_run(run.name); });
  if (!options.extract_dir.empty()) {
    return ExtractMessages(*runs, reading, options.extract_dir, style);
  }
  std::vector<RunLog> logs =
      ReadRuns(*runs, reading, static_cast<unsigned>(options.output.threads));
  return Show(options, logs);
}

}  // namespace

int RunEvents(std::span<char*> arguments) {
  EventsOptions options;
  const OptionParser parser = ParserFor(options);
  if (const auto ended = ParseOrHelp("events", parser, arguments)) return *ended;
  return ExitCodeAfter("events", Run(options));
}

}  // namespace stepscope
