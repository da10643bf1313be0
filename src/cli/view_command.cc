#include "cli/view_command.h"

#include <fmt/core.h>

#include <algorithm>

#include "analyze/tfprof/advise.h"
#include "analyze/tfprof/view.h"
#include "cli/errors.h"
#include "export/tfprof_pprof.h"
#include "export/tfprof_timeline.h"
#include "io/byte_sink.h"
#include "present/tfprof/tensor_text.h"
#include "present/tfprof/text.h"
#include "present/tfprof/view_table.h"

namespace stepscope {
namespace {

using tfprof::View;
using tfprof::ViewKind;

void Say(std::string_view line) { fmt::print(stderr, "{}\n", line); }

Result<void> WriteBytes(const std::string& path, std::string_view bytes, Compression compression) {
  Result<std::unique_ptr<ByteSink>> sink = OpenSink(path, compression);
  if (!sink) return std::unexpected(std::move(sink.error()));
  if (Result<void> written = (*sink)->Write(bytes); !written) return written;
  return (*sink)->Close();
}

class Shower {
 public:
  // `trace` is what the model was made of, if it was; `several` collects views that are to be
  // joined.
  Shower(const ViewRequest& request, const LoadedModel& loaded, const Trace* trace = nullptr,
         std::vector<std::string>* several = nullptr)
      : request_(request),
        options_(request.options),
        loaded_(loaded),
        trace_(trace),
        several_(several),
        kind_(ViewKindOf(request.view)) {}

  int Show() {
    if (!request_.output_given) return CanShow() ? ShowTable() : kExitUsage;
    const std::string& type = options_.output.type;
    const bool framed = type == "stdout";
    if (framed) Print(tfprof::OptionsFrame(options_));
    const int status = Body(type);
    if (framed) Print(tfprof::EndFrame());
    return status;
  }

 private:
  int Body(std::string_view type) {
    if (!CanShow()) return kExitUsage;
    if (type == "timeline") return Timeline();
    if (type == "pprof") return Pprof();
    const View view = Make(options_);
    const std::string text =
        tfprof::DocText(kind_, options_, loaded_.model.misses_accelerator_stream()) +
        tfprof::ViewText(loaded_.model, view, options_,
                         [this](std::string_view name) { return TensorText(name); });
    if (type == "stdout") return Print(text);
    if (type == "file") return Write(std::string(options_.output.outfile()), text);
    return kExitFine;
  }

  // For people, or for programs that are not TensorFlow's.
  int ShowTable() {
    const View view = Make(options_);
    std::vector<tfprof::WallTimes> wall;
    if (request_.wall) wall = tfprof::WallOf(loaded_.model, view, options_.step);
    const tfprof::ViewTable table{loaded_.model, view, options_, request_.wall ? &wall : nullptr,
                                  trace_};
    if (several_ != nullptr) {
      several_->push_back(request_.style.json ? tfprof::RenderJson(table)
                                              : tfprof::RenderCsvPart(table, several_->empty()));
      return kExitFine;
    }
    if (request_.style.json) return Print(tfprof::RenderJson(table));
    if (request_.csv) return Print(tfprof::RenderCsv(table));
    return Print(tfprof::RenderTable(table, StyleFor(request_.style)));
  }

  bool CanShow() const {
    const auto& steps = loaded_.model.steps();
    if (options_.step >= 0 && !steps.contains(options_.step)) {
      std::string available;
      for (const int64_t step : steps) available += fmt::format("{} ", step);
      Say(fmt::format("Options -step={} not found.\nAvailable steps: {}", options_.step,
                      available));
      return false;
    }
    if (kind_ == ViewKind::kCode && !loaded_.model.has_code()) {
      Say("No code trace information");
      return false;
    }
    return true;
  }

  View Make(const tfprof::Options& options) const {
    View view = MakeView(kind_, loaded_.model, options);
    for (const std::string& note : loaded_.model.notes()) Say("stepscope view: " + note);
    for (const std::string& note : view.notes) Say(note);
    if (kind_ == ViewKind::kCode && options.Selects(tfprof::Column::kTensorValue)) {
      Say("code view has no tensor value to show");
    }
    return view;
  }

  std::optional<std::string> TensorText(std::string_view name) const {
    if (!loaded_.checkpoint) return std::nullopt;
    const Checkpoint::Variable* variable = loaded_.checkpoint->Find(name);
    if (variable == nullptr) return std::nullopt;
    const Result<std::string> values = ReadValues(*loaded_.checkpoint, *variable);
    if (!values) {
      Say(FormatError("view", values.error()));
      return std::nullopt;
    }
    return tfprof::FormatTensor(variable->type, variable->shape, *values);
  }

  int Timeline() {
    if (kind_ == ViewKind::kOp) {
      Say("op view doesn't support timeline yet. Consider graph/scope/code view.");
      return kExitUsage;
    }
    if (kind_ != ViewKind::kGraph) {
      return WriteTimeline(options_.step, tfprof::TreeTimeline(Make(options_)));
    }
    std::vector<int64_t> steps{options_.step};
    if (options_.step < 0) steps.assign(loaded_.model.steps().begin(), loaded_.model.steps().end());
    for (const int64_t step : steps) {
      tfprof::Options of_step = options_;
      of_step.step = step;
      const tfprof::GraphTimeline timeline =
          tfprof::StepTimeline(loaded_.model, Make(of_step), step);
      Print("generating trace file.\n");
      for (const auto& [device, bytes] : timeline.peak_bytes) {
        Print(fmt::format("{} peak memory: {:.2f} MB\n", device, static_cast<double>(bytes) / 1e6));
      }
      if (const int status = WriteTimeline(step, timeline.json); status != kExitFine) return status;
    }
    return kExitFine;
  }

  int WriteTimeline(int64_t step, const std::string& json) {
    const std::string path = fmt::format("{}_{}", options_.output.outfile(), step);
    if (const int status = Write(path, json); status != kExitFine) return status;
    const std::string stars(54, '*');
    return Print(
        fmt::format("\n{}\nTimeline file is written to {}.\nOpen a Chrome browser, enter URL "
                    "chrome://tracing and load the timeline file.\n{}\n",
                    stars, path, stars));
  }

  int Pprof() {
    if (kind_ != ViewKind::kCode) {
      Say("Only 'code' view supports pprof output now.");
      return kExitUsage;
    }
    const Result<std::string> profile = tfprof::CodePprof(loaded_.model, Make(options_), options_);
    if (!profile) {
      Say(profile.error().sentence);
      return kExitUsage;
    }
    const std::string path(options_.output.outfile());
    if (Result<void> done = WriteBytes(path, *profile, Compression::kGzip); !done) {
      return PrintError("view", done.error());
    }
    return Print(fmt::format("\nRun pprof -png --nodecount=100 --sample_index=1 <{}>\n", path));
  }

  static int Print(std::string_view text) {
    if (Result<void> done = WriteOut(text); !done) return PrintError("view", done.error());
    return kExitFine;
  }
  static int Write(const std::string& path, std::string_view text) {
    if (Result<void> done = WriteBytes(path, text, Compression::kNone); !done) {
      return PrintError("view", done.error());
    }
    return kExitFine;
  }

  const ViewRequest& request_;
  const tfprof::Options& options_;
  const LoadedModel& loaded_;
  const Trace* const trace_;
  std::vector<std::string>* const several_;
  const ViewKind kind_;
};

int ShowAdvice(const ViewRequest& request, const LoadedModel& loaded) {
  std::vector<std::string> checkers = request.checkers;
  if (checkers.empty()) checkers.assign(std::begin(tfprof::kCheckers), std::end(tfprof::kCheckers));
  const tfprof::Advice advice = tfprof::Advise(loaded.model, checkers);
  for (const std::string& note : advice.notes) Say(note);
  std::string text;
  for (const tfprof::CheckerReport& checker : advice.checkers) {
    text += fmt::format("\n{}:\n", checker.checker);
    for (const std::string& report : checker.reports) text += report + "\n";
  }
  if (Result<void> done = WriteOut(text); !done) return PrintError("view", done.error());
  return kExitFine;
}

Result<void> WriteProfile(const ViewRequest& request, const LoadedModel& loaded) {
  if (request.write_profile.empty()) return {};
  return WriteBytes(request.write_profile, EncodeProfileProto(loaded.model.ToProfile()),
                    Compression::kNone);
}

// One model, which is there.
int ShowModel(const ViewRequest& request, const LoadedModel& loaded, const Trace* trace,
              std::vector<std::string>* several) {
  if (Result<void> done = WriteProfile(request, loaded); !done) {
    return PrintError("view", done.error());
  }
  if (request.view == "advise") return ShowAdvice(request, loaded);
  return Shower(request, loaded, trace, several).Show();
}

bool WritesFiles(const ViewRequest& request) {
  const std::string& type = request.options.output.type;
  return !request.write_profile.empty() ||
         (request.output_given && type != "stdout" && type != "none");
}

// The traces that were asked for, one after the other: a heading each, or one JSON or CSV text.
int ShowTraces(const ViewRequest& request, LoadedModel& loaded) {
  const Profile& profile = loaded.trace->profile;
  const Result<std::vector<size_t>> chosen = TracesNamed(profile, request.trace);
  if (!chosen) return PrintError("view", chosen.error());
  const bool several = chosen->size() > 1;
  if (several && WritesFiles(request)) {
    return PrintError(
        "view", Error{ErrorCode::kUsage,
                      fmt::format("one file cannot hold the views of {} traces", chosen->size()),
                      {},
                      {},
                      "choose one with --trace RANK, a host or a part of its name"});
  }
  const bool joined = several && !request.output_given && (request.style.json || request.csv) &&
                      request.view != "advise";
  std::vector<std::string> texts;
  int status = kExitFine;
  for (const size_t number : *chosen) {
    const Trace& trace = profile.traces[number];
    loaded.PrepareFor(ViewKindOf(request.view), number);
    if (several && !joined) {
      const Style style = StyleFor(request.style);
      const std::string heading =
          fmt::format("{}{}\n", number == chosen->front() ? "" : "\n",
                      style.Paint(Color::kBold, style.Clean(TraceLabel(trace))));
      if (Result<void> done = WriteOut(heading); !done) return PrintError("view", done.error());
    }
    const int code = ShowModel(request, loaded, &trace, joined ? &texts : nullptr);
    if (code != kExitFine) status = code;
  }
  if (!joined) return status;
  std::string text;
  if (request.style.json) {
    text = tfprof::JoinJson(texts);
  } else {
    for (const std::string& part : texts) text += part;
  }
  if (Result<void> done = WriteOut(text); !done) return PrintError("view", done.error());
  return status;
}

}  // namespace

tfprof::ViewKind ViewKindOf(std::string_view view) {
  using enum tfprof::ViewKind;
  if (view == "graph") return kGraph;
  if (view == "op") return kOp;
  if (view == "code") return kCode;
  return kScope;
}

tfprof::View MakeView(tfprof::ViewKind kind, const tfprof::Model& model,
                      const tfprof::Options& options) {
  using enum tfprof::ViewKind;
  switch (kind) {
    case kScope:
      return tfprof::ScopeView(model, options);
    case kGraph:
      return tfprof::GraphView(model, options);
    case kCode:
      return tfprof::CodeView(model, options);
    case kOp:
      return tfprof::OpView(model, options);
  }
  return {};
}

int ShowView(const ViewRequest& request, LoadedModel& loaded) {
  for (const std::string& hint : request.hints) Say("stepscope view: " + hint);
  if (loaded.trace) return ShowTraces(request, loaded);
  if (!request.trace.empty()) {
    return PrintError("view", Error{ErrorCode::kUsage,
                                    "--trace chooses among profiles, and this is a model",
                                    {},
                                    {},
                                    "leave it out; -step chooses a run of the model"});
  }
  return ShowModel(request, loaded, nullptr, nullptr);
}

}  // namespace stepscope
