#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <optional>

#include "cli/export_request.h"
#include "cli/stop_on_signal.h"
#include "command/ask.h"
#include "command/options.h"
#include "command/output.h"
#include "command/progress_bar.h"
#include "command/run_verb.h"
#include "command/step_range.h"
#include "command/verb.h"
#include "query/table_export.h"
#include "study/study.h"
#include "tools/timeline/timeline_file.h"
#include "trace/device_id.h"
#include "words/cli.h"
#include "words/query.h"

namespace stepscope {
namespace {

constexpr SayFrom<kExportTexts, kCliTexts> Say;

constexpr std::string_view kVerb = "export";

struct FormatName {
  std::string_view name;
  ExportFormat format;
  std::vector<std::string_view> endings;
};

const std::vector<FormatName>& Formats() {
  static const auto* const kFormats = new std::vector<FormatName>{
      {"parquet", ExportFormat::kParquet, {".parquet"}},
      {"arrow", ExportFormat::kArrow, {".arrow", ".feather"}},
      {"csv", ExportFormat::kCsv, {".csv"}},
      {"jsonl", ExportFormat::kJsonl, {".jsonl"}},
      {"sqlite", ExportFormat::kSqlite, {".sqlite", ".db"}},
      {"pprof", ExportFormat::kPprof, {".pb.gz", ".pprof"}},
      {"speedscope", ExportFormat::kSpeedscope, {".speedscope.json"}},
      {"folded", ExportFormat::kFolded, {".folded"}},
      {"perfetto", ExportFormat::kPerfetto, {".pftrace", ".perfetto-trace", ".pftrace.gz"}},
      {"chrome", ExportFormat::kChrome, {".json", ".json.gz"}},
  };
  return *kFormats;
}

ExportFormat FormatOf(const std::string& given, const std::string& output) {
  for (const FormatName& format : Formats()) {
    if (format.name == given) return format.format;
  }
  for (const FormatName& format : Formats()) {
    const auto ends = [&](std::string_view ending) { return output.ends_with(ending); };
    if (std::ranges::any_of(format.endings, ends)) return format.format;
  }
  return ExportFormat::kParquet;
}

Sentences SplitNames(std::string_view text, std::vector<std::string>& into) {
  while (!text.empty()) {
    const size_t comma = std::min(text.find(','), text.size());
    if (comma > 0) into.emplace_back(text.substr(0, comma));
    text.remove_prefix(std::min(comma + 1, text.size()));
  }
  return into.empty() ? Say("export.takes-names") : Message();
}

struct Options {
  ExportRequest request;
  std::string format, run;
  OutputOptions style;
};

OptionParser Parser(Options& options) {
  ExportRequest& request = options.request;
  OptionParser parser(kVerb, "PATH... -o FILE|DIR [OPTIONS]", Say("export.help.about"));
  parser.Text("-o,--output", "PATH", Say("export.help.out"), &request.output);
  std::vector<std::string> names;
  for (const FormatName& format : Formats()) names.emplace_back(format.name);
  parser.Choice("--format", names, Say("export.help.format"), &options.format);
  parser.Custom("--steps", "A-B", Say("report.help.steps"), [&](std::string_view text) {
    return ParseStepRange(text, request.selection.first_step, request.selection.last_step);
  });
  parser.Text("--device", "ID", Say("export.help.device"), &request.selection.device);
  parser.Text("--run", "NAME", Say("cli.run"), &options.run);
  parser.Section(Say("export.help.section-tables"));
  parser.Custom("--tables", "NAMES", Say("export.help.tables"),
                [&](std::string_view text) { return SplitNames(text, request.tables); });
  parser.Section(Say("export.help.flames"));
  parser.Choice("--stack", {"ops", "modules", "python", "hlo"}, Say("export.help.stack"),
                &request.stack);
  parser.Choice("--weight", {"device", "host", "calls", "bytes"}, Say("export.help.weight"),
                &request.weight);
  parser.Flag("--idle", Say("export.help.idle"), &request.idle);
  AddOutputOptions(parser, &options.style);
  parser.Positionals("PATH", &request.paths, 1);
  parser.Example("stepscope export trace.json.gz -o tables/", Say("export.help.example"));
  parser.Example("stepscope export rank*.json.gz -o slices.arrow --tables slices",
                 Say("export.help.example-one"));
  parser.Example("stepscope export trace.json.gz -o trace.pb.gz", Say("export.help.example-pprof"));
  parser.Example("stepscope export trace.json.gz -o trace.speedscope.json --steps 3",
                 Say("export.help.example-speedscope"));
  return parser;
}

std::optional<query::TableFormat> TableFormatOf(ExportFormat format) {
  switch (format) {
    case ExportFormat::kParquet:
      return query::TableFormat::kParquet;
    case ExportFormat::kArrow:
      return query::TableFormat::kArrow;
    case ExportFormat::kCsv:
      return query::TableFormat::kCsv;
    case ExportFormat::kJsonl:
      return query::TableFormat::kJsonl;
    case ExportFormat::kSqlite:
      return query::TableFormat::kSqlite;
    default:
      return std::nullopt;
  }
}

// A device or a step that no trace has is a slip of the user's, not an empty file.
Result<void> CheckSelection(Study& study, const query::RowSelection& selection) {
  std::vector<std::string> devices;
  bool step_found = !selection.first_step && !selection.last_step;
  for (size_t t = 0; t < study.size(); ++t) {
    for (const Device& device : study.trace(t).devices) {
      devices.push_back(DeviceIdOf(device.type, device.index));
    }
    if (step_found) continue;
    for (const Step& step : study.linked(t).steps.items) {
      step_found |= step.number >= selection.first_step.value_or(step.number) &&
                    step.number <= selection.last_step.value_or(step.number);
    }
  }
  if (!selection.device.empty() && std::ranges::find(devices, selection.device) == devices.end()) {
    return Fail(ErrorCode::kUsage, Say("export.no-device", selection.device), {},
                devices.empty()
                    ? Say("export.leave-device")
                    : Say("export.devices", fmt::format("{}", fmt::join(devices, ", "))));
  }
  if (!step_found) {
    return Fail(ErrorCode::kUsage, Say("export.no-step"), {}, Say("export.list-steps"));
  }
  return {};
}

Result<void> WriteTimeline(const ExportRequest& request, unsigned threads) {
  TimelineSources sources;
  for (const std::string& path : request.paths) {
    if (Result<void> opened = sources.Open(path, threads); !opened) return opened;
  }
  TimelineOptions options;
  options.first_step = request.selection.first_step;
  options.last_step = request.selection.last_step;
  if (!request.selection.device.empty()) {
    return Fail(ErrorCode::kUsage, Say("export.all-devices"), {}, Say("export.without-device"));
  }
  const Result<TimelinePlan> plan = PlanTimeline(sources.TakeInputs(), options);
  if (!plan) return std::unexpected(plan.error());
  return WriteTimelineFile(*plan, options,
                           request.format == ExportFormat::kPerfetto ? TimelineFormat::kPerfetto
                                                                     : TimelineFormat::kChrome,
                           request.output);
}

Result<void> WriteTables(Study& study, const ExportRequest& request, unsigned threads) {
  const query::QueryTables tables(study);
  const Result<std::unique_ptr<query::Database>> database = query::Database::Open(tables);
  if (!database) return std::unexpected(database.error());
  TaskPool pool(threads);
  const Result<std::vector<query::ExportedFile>> written =
      query::ExportTables(**database,
                          {.tables = request.tables,
                           .format = *TableFormatOf(request.format),
                           .selection = request.selection,
                           .output = request.output},
                          pool);
  if (!written) return std::unexpected(written.error());
  return {};
}

Result<void> Run(const Options& options) {
  const ExportRequest& request = options.request;
  const auto threads = static_cast<unsigned>(options.style.threads);
  if (request.output.empty()) {
    return Fail(ErrorCode::kUsage, Say("export.missing-out"), {}, Say("export.say-where"));
  }
  if (request.format == ExportFormat::kChrome || request.format == ExportFormat::kPerfetto) {
    return WriteTimeline(request, threads);
  }
  const StopOnSignal signals;
  ProgressBar bar;
  const Result<std::unique_ptr<Study>> study =
      Study::Open(request.paths, {.run = options.run,
                                  .threads = threads,
                                  .progress = bar.callback(),
                                  .stop = signals.token(),
                                  .ask = AskUser()});
  bar.Finish();
  if (!study) return std::unexpected(study.error());
  if (Result<void> known = CheckSelection(**study, request.selection); !known) return known;
  return TableFormatOf(request.format) ? WriteTables(**study, request, threads)
                                       : WriteStacks(**study, request);
}

}  // namespace

int RunExport(std::span<char*> arguments) {
  Options options;
  const OptionParser parser = Parser(options);
  if (const auto ended = ParseOrHelp(kVerb, parser, arguments)) return *ended;
  options.request.format = FormatOf(options.format, options.request.output);
  return ExitCodeAfter(kVerb, Run(options));
}

}  // namespace stepscope
