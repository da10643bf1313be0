#include <fmt/core.h>

#include <memory>

#include "command/errors.h"
#include "command/options.h"
#include "command/output.h"
#include "command/run_verb.h"
#include "command/step_range.h"
#include "command/verb.h"
#include "io/byte_sink.h"
#include "io/input_damage.h"
#include "tools/timeline/timeline_file.h"
#include "tools/timeline/timeline_py.h"
#include "words/tools.h"

namespace stepscope {
namespace {

constexpr SayFrom<kToolsTexts> Say;

struct TimelineRequest {
  std::vector<std::string> paths;
  std::string output;
  std::string compat;
  std::string op_time = "schedule";
  std::string align;
  std::string format;
  double gap_ms = -1;
  bool dataflow = true;
  bool memory = true;
  bool memory_given = false;
  TimelineOptions options;
  OutputOptions style;
};

Messages ParseBit(std::string_view text, bool& into) {
  if (text != "0" && text != "1") return Say("timeline.zero-or-one");
  into = text == "1";
  return {};
}

OptionParser MakeParser(TimelineRequest& request) {
  OptionParser parser("timeline", "PATH... -o FILE", Say("timeline.about"));
  parser.Text("-o,--output", "FILE", Say("timeline.out"), &request.output);
  parser.Choice("--format", {"chrome", "perfetto"}, Say("timeline.format"), &request.format);
  parser.Section(Say("timeline.merging"));
  parser.Choice("--align", {"epoch", "start", "none", "collectives"}, Say("timeline.align"),
                &request.align);
  parser.Number("--gap", "MS", Say("timeline.gap"), &request.gap_ms);
  parser.Integer("--skip-warmup", "N", Say("timeline.skip"), &request.options.skip_runs, 0);
  parser.Custom("--steps", "A-B", Say("timeline.steps"), [&](std::string_view text) {
    return ParseStepRange(text, request.options.first_step, request.options.last_step);
  });
  parser.Section(Say("timeline.contents"));
  parser.Custom("--dataflow", "0|1", Say("timeline.flows"),
                [&](std::string_view text) { return ParseBit(text, request.dataflow); });
  parser.Custom("--memory", "0|1", Say("timeline.memory"), [&](std::string_view text) {
    request.memory_given = true;
    return ParseBit(text, request.memory);
  });
  parser.Section(Say("timeline.as-tensorflow"));
  parser.Choice("--compat", {"timeline.py"}, Say("timeline.compat"), &request.compat);
  parser.Choice("--op-time", {"schedule", "gpu", "all"}, Say("timeline.show"), &request.op_time);
  AddReadingOptions(parser);
  parser.Positionals("PATH", &request.paths, 1);
  parser.Example("stepscope timeline run_metadata.pb -o timeline.json", Say("timeline.example"));
  parser.Example("stepscope timeline run_*.pb -o all.pftrace --skip-warmup 1",
                 Say("timeline.example-five"));
  parser.Example("stepscope timeline rank*.json.gz -o job.json.gz --align collectives",
                 Say("timeline.example-job"));
  parser.Example("stepscope timeline rank0.json.gz rank1.json.gz -o ranks.json.gz --align start",
                 Say("timeline.example-ranks"));
  return parser;
}

Result<void> WriteCompat(const TimelineRequest& request) {
  if (request.paths.size() != 1) {
    return Fail(ErrorCode::kUsage, Say("timeline.one-file"), {}, Say("timeline.leave-compat"));
  }
  Diagnostics diagnostics;
  Result<RunMetadata> run = ReadRunMetadata(request.paths[0], diagnostics);
  NoteDamage(request.paths[0], diagnostics);
  if (!run) return std::unexpected(std::move(run.error()));
  TimelinePyOptions options;
  options.dataflow = request.dataflow;
  options.memory = request.memory_given && request.memory;
  options.op_time = request.op_time == "gpu"   ? OpTime::kGpu
                    : request.op_time == "all" ? OpTime::kAll
                                               : OpTime::kSchedule;
  Result<std::unique_ptr<ByteSink>> sink =
      OpenSink(request.output, CompressionForName(request.output));
  if (!sink) return std::unexpected(std::move(sink.error()));
  if (Result<void> done = (*sink)->Write(TimelinePy(*run, options)); !done) return done;
  return (*sink)->Close();
}

Result<void> WriteMerged(TimelineRequest& request) {
  TimelineSources sources;
  for (const std::string& path : request.paths) {
    if (Result<void> opened = sources.Open(path, static_cast<unsigned>(request.style.threads));
        !opened)
      return opened;
  }
  TimelineOptions& options = request.options;
  options.dataflow = request.dataflow;
  options.memory = request.memory;
  if (request.gap_ms >= 0) options.gap = DurationNs{static_cast<int64_t>(request.gap_ms * 1e6)};
  if (request.align == "epoch") options.align = AlignRuns::kEpoch;
  if (request.align == "start") options.align = AlignRuns::kStart;
  if (request.align == "none") options.align = AlignRuns::kNone;
  if (request.align == "collectives") {
    options.align = AlignRuns::kCollectives;
    if (Result<void> aligned = sources.Align(); !aligned) return aligned;
  }
  const Result<TimelinePlan> plan = PlanTimeline(sources.TakeInputs(), options);
  if (!plan) return std::unexpected(plan.error());
  const TimelineFormat format = request.format == "perfetto" ? TimelineFormat::kPerfetto
                                : request.format == "chrome"
                                    ? TimelineFormat::kChrome
                                    : TimelineFormatForName(request.output);
  if (Result<void> done = WriteTimelineFile(*plan, options, format, request.output); !done) {
    return done;
  }
  for (const TimelineRun& run : plan->runs) {
    if (run.warmup) PrintNote("timeline", Say("timeline.warm-up", run.label));
  }
  return {};
}

}  // namespace

int RunTimeline(std::span<char*> arguments) {
  TimelineRequest request;
  const OptionParser parser = MakeParser(request);
  if (const auto ended = ParseOrHelp("timeline", parser, arguments)) return *ended;
  if (request.output.empty()) {
    return PrintError(
        "timeline",
        Error{ErrorCode::kUsage, Say("timeline.missing-out"), {}, {}, Say("timeline.say-where")});
  }
  return ExitCodeAfter("timeline",
                       request.compat.empty() ? WriteMerged(request) : WriteCompat(request));
}

}  // namespace stepscope
