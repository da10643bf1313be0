#include <algorithm>
#include <charconv>
#include <memory>
#include <vector>

#include "analyze/raw/trace_rows.h"
#include "cli/export_request.h"
#include "export/stack_files.h"
#include "io/byte_sink.h"
#include "link/linked_trace.h"
#include "study/study.h"
#include "words/query.h"

namespace stepscope {
namespace {

constexpr SayFrom<kExportTexts> Say;

using exported::StackBy;
using exported::Weight;
using tables::TraceRows;

StackBy StackNamed(const std::string& name) {
  if (name == "modules") return StackBy::kModules;
  if (name == "python") return StackBy::kPython;
  return name == "hlo" ? StackBy::kHlo : StackBy::kOps;
}

std::function<bool(uint32_t)> Selected(const TraceRows& rows,
                                       const query::RowSelection& selection) {
  if (selection.all()) return {};
  int32_t device = -1;
  const size_t colon = selection.device.find(':');
  if (colon != std::string::npos) {
    const char* const end = selection.device.data() + selection.device.size();
    std::from_chars(selection.device.data() + colon + 1, end, device);
  }
  return [&rows, selection, device](uint32_t slice) {
    const Track& track = rows.trace().tracks[rows.track_of_slice()[slice]];
    if (device >= 0 && track.device >= 0 && track.device != device) return false;
    if (!selection.first_step && !selection.last_step) return true;
    const uint32_t step = rows.step_of_slice()[slice];
    if (step == kNoRow) return false;
    const int64_t number = rows.steps().items[step].number;
    return number >= selection.first_step.value_or(number) &&
           number <= selection.last_step.value_or(number);
  };
}

Weight WeightOf(const std::string& name, bool has_device_work) {
  if (name == "host" || (name.empty() && !has_device_work)) return Weight::kHost;
  if (name == "calls") return Weight::kCalls;
  return name == "bytes" ? Weight::kBytes : Weight::kDevice;
}

// What the profile has to have for a choice of stacks.
Result<void> CheckFrames(Study& study, StackBy by) {
  if (by == StackBy::kOps) return {};
  for (size_t t = 0; t < study.size(); ++t) {
    const Trace& trace = study.trace(t);
    const auto has = [&](Kind kind) {
      return std::ranges::find(trace.slices.kind, kind) != trace.slices.kind.end();
    };
    if (by == StackBy::kHlo && !trace.hlo_ops.empty()) return {};
    if (by != StackBy::kHlo && has(Kind::kModuleFrame)) return {};
    if (by == StackBy::kPython && has(Kind::kPythonFrame)) return {};
  }
  if (by == StackBy::kHlo) {
    return Fail(ErrorCode::kUsage, Say("export.no-hlo"), {}, Say("export.hlo-in-xplane"));
  }
  return Fail(ErrorCode::kUsage, Say("export.no-frames"), {}, Say("export.with-stack"));
}

}  // namespace

Result<void> WriteStacks(Study& study, const ExportRequest& request) {
  const StackBy by = StackNamed(request.stack);
  if (Result<void> known = CheckFrames(study, by); !known) return known;
  std::vector<std::unique_ptr<TraceRows>> rows;
  std::vector<exported::SpeedscopeTrace> traces;
  exported::Stacks stacks;
  bool has_device_work = false;
  int64_t start = 0, span = 0;
  for (size_t t = 0; t < study.size(); ++t) {
    const LinkedTrace& linked = study.linked(t);
    rows.push_back(
        request.idle
            ? std::make_unique<TraceRows>(linked, study.report(t), static_cast<uint32_t>(t))
            : std::make_unique<TraceRows>(TraceRows::Parts{
                  linked.trace, linked.links, linked.steps, {}, {}, static_cast<uint32_t>(t)}));
    traces.push_back({rows.back().get(), Selected(*rows.back(), request.selection)});
    stacks.Add(*rows.back(), {by, traces.back().selected, request.idle});
    has_device_work |= !rows.back()->device_work().empty();
    start = t == 0 ? linked.trace.facts.start_unix_ns.value_or(0) : start;
    span = std::max(span, linked.trace.span.ns);
  }
  const Weight weight = WeightOf(request.weight, has_device_work);
  const bool pprof = request.format == ExportFormat::kPprof;
  Result<std::unique_ptr<ByteSink>> sink =
      OpenSink(request.output, pprof ? Compression::kGzip : CompressionForName(request.output));
  if (!sink) return std::unexpected(sink.error());
  Result<void> done = pprof ? (*sink)->Write(exported::Pprof(stacks, weight, start, span))
                      : request.format == ExportFormat::kFolded
                          ? (*sink)->Write(exported::Folded(stacks, weight))
                          : exported::WriteSpeedscope(stacks, weight, traces, **sink);
  if (!done) return done;
  return (*sink)->Close();
}

}  // namespace stepscope
