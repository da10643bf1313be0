#include "tools/tfprof/view_command.h"

#include <fmt/core.h>

#include "command/errors.h"
#include "io/byte_sink.h"
#include "present/unicode.h"
#include "tools/tfprof/advise.h"
#include "tools/tfprof/tensor_text.h"
#include "tools/tfprof/tfprof_output.h"
#include "tools/tfprof/view_table.h"

namespace stepscope {
namespace {

using tfprof::View;
using tfprof::ViewKind;

// `advise` needs no view of its own; a scope view's nodes serve it.
ViewKind KindOf(std::string_view view) {
  return tfprof::ViewKindOf(view).value_or(ViewKind::kScope);
}

void Say(std::string_view line) { fmt::print(stderr, "{}\n", SafeText(line, Sgr::kNot)); }

void SayNotes(const tfprof::Model& model) {
  for (const std::string& note : model.notes()) Say("stepscope view: " + note);
}

int Print(std::string_view text, Escapes escapes = Escapes::kNone) {
  if (Result<void> done = WriteOut(text, escapes); !done) return PrintError("view", done.error());
  return kExitFine;
}

Result<void> WriteBytes(const std::string& path, std::string_view bytes) {
  Result<std::unique_ptr<ByteSink>> sink = OpenSink(path, Compression::kNone);
  if (!sink) return std::unexpected(std::move(sink.error()));
  if (Result<void> written = (*sink)->Write(bytes); !written) return written;
  return (*sink)->Close();
}

std::optional<std::string> TensorText(const std::optional<Checkpoint>& checkpoint,
                                      std::string_view name) {
  if (!checkpoint) return std::nullopt;
  const Checkpoint::Variable* variable = checkpoint->Find(name);
  if (variable == nullptr) return std::nullopt;
  const Result<std::string> values = ReadValues(*checkpoint, *variable);
  if (!values) {
    Say(FormatError("view", values.error()));
    return std::nullopt;
  }
  return tfprof::FormatTensor(variable->type, variable->shape, *values);
}

// As TensorFlow's profiler shows it.
int ShowAsTensorFlow(const ViewRequest& request, const LoadedModel& loaded) {
  const tfprof::Shown shown =
      tfprof::Show(loaded.model, KindOf(request.view), request.options,
                   [&](std::string_view name) { return TensorText(loaded.checkpoint, name); });
  if (shown.view || !shown.refused) SayNotes(loaded.model);
  for (const std::string& note : shown.notes) Say(note);
  if (const int status = Print(shown.out); status != kExitFine) return status;
  if (shown.fault) return PrintError("view", *shown.fault);
  return shown.refused ? kExitUsage : kExitFine;
}

// For people, or for programs that are not TensorFlow's.
// `trace` is what the model was made of, if it was; `several` collects views that are to be joined.
int ShowTable(const ViewRequest& request, const LoadedModel& loaded, const Trace* trace,
              std::vector<std::string>* several) {
  const tfprof::Options& options = request.options;
  const ViewKind kind = KindOf(request.view);
  if (const std::string reason = tfprof::CannotShow(loaded.model, kind, options); !reason.empty()) {
    Say(reason);
    return kExitUsage;
  }
  const View view = tfprof::MakeView(kind, loaded.model, options);
  SayNotes(loaded.model);
  for (const std::string& note : view.notes) Say(note);
  if (kind == ViewKind::kCode && options.Selects(tfprof::Column::kTensorValue)) {
    Say("code view has no tensor value to show");
  }
  std::vector<tfprof::WallTimes> wall;
  if (request.wall) wall = tfprof::WallOf(loaded.model, view, options.step);
  const tfprof::ViewTable table{loaded.model, view, options, request.wall ? &wall : nullptr, trace};
  if (several != nullptr) {
    several->push_back(request.style.json ? tfprof::RenderJson(table)
                                          : tfprof::RenderCsvPart(table, several->empty()));
    return kExitFine;
  }
  if (request.style.json) return Print(tfprof::RenderJson(table));
  if (request.csv) return Print(tfprof::RenderCsv(table));
  return Print(tfprof::RenderTable(table, StyleFor(request.style)), Escapes::kColors);
}

int ShowAdvice(const ViewRequest& request, const LoadedModel& loaded) {
  std::vector<std::string> checkers = request.checkers;
  if (checkers.empty()) checkers.assign(std::begin(tfprof::kCheckers), std::end(tfprof::kCheckers));
  const tfprof::Advice advice = tfprof::Advise(loaded.model, checkers);
  for (const std::string& note : advice.notes) Say(note);
  return Print(tfprof::AdviceText(advice));
}

Result<void> WriteProfile(const ViewRequest& request, const LoadedModel& loaded) {
  if (request.write_profile.empty()) return {};
  return WriteBytes(request.write_profile, EncodeProfileProto(loaded.model.ToProfile()));
}

// One model, which is there.
int ShowModel(const ViewRequest& request, const LoadedModel& loaded, const Trace* trace,
              std::vector<std::string>* several) {
  if (Result<void> done = WriteProfile(request, loaded); !done) {
    return PrintError("view", done.error());
  }
  if (request.view == "advise") return ShowAdvice(request, loaded);
  return request.output_given ? ShowAsTensorFlow(request, loaded)
                              : ShowTable(request, loaded, trace, several);
}

bool WritesFiles(const ViewRequest& request) {
  const std::string& type = request.options.output.type;
  return !request.write_profile.empty() ||
         (request.output_given && type != "stdout" && type != "none");
}

// The traces that were asked for, one after the other: a heading each, or one JSON or CSV text.
int ShowTraces(const ViewRequest& request, LoadedModel& loaded) {
  const Profile& profile = loaded.study->profile();
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
    loaded.PrepareFor(KindOf(request.view), number);
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

int ShowView(const ViewRequest& request, LoadedModel& loaded) {
  for (const std::string& hint : request.hints) Say("stepscope view: " + hint);
  if (loaded.study) return ShowTraces(request, loaded);
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
