#include "cli/view_command.h"

#include <fmt/core.h>

#include "analyze/tfprof/advise.h"
#include "cli/errors.h"
#include "export/tfprof_output.h"
#include "io/byte_sink.h"
#include "present/tfprof/tensor_text.h"
#include "present/tfprof/view_table.h"

namespace stepscope {
namespace {

using tfprof::View;
using tfprof::ViewKind;

// `advise` needs no view of its own; a scope view's nodes serve it.
ViewKind KindOf(std::string_view view) {
  return tfprof::ViewKindOf(view).value_or(ViewKind::kScope);
}

void Say(std::string_view line) { fmt::print(stderr, "{}\n", line); }

int Print(std::string_view text) {
  if (Result<void> done = WriteOut(text); !done) return PrintError("view", done.error());
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
  for (const std::string& note : shown.notes) Say(note);
  if (const int status = Print(shown.out); status != kExitFine) return status;
  if (shown.fault) return PrintError("view", *shown.fault);
  return shown.refused ? kExitUsage : kExitFine;
}

// For people, or for programs that are not TensorFlow's.
int ShowTable(const ViewRequest& request, const LoadedModel& loaded) {
  const tfprof::Options& options = request.options;
  const ViewKind kind = KindOf(request.view);
  if (const std::string reason = tfprof::CannotShow(loaded.model, kind, options); !reason.empty()) {
    Say(reason);
    return kExitUsage;
  }
  const View view = tfprof::MakeView(kind, loaded.model, options);
  for (const std::string& note : view.notes) Say(note);
  if (kind == ViewKind::kCode && options.Selects(tfprof::Column::kTensorValue)) {
    Say("code view has no tensor value to show");
  }
  std::vector<tfprof::WallTimes> wall;
  if (request.wall) wall = tfprof::WallOf(loaded.model, view, options.step);
  const tfprof::ViewTable table{loaded.model, view, options, request.wall ? &wall : nullptr};
  if (request.style.json) return Print(tfprof::RenderJson(table));
  if (request.csv) return Print(tfprof::RenderCsv(table));
  return Print(tfprof::RenderTable(table, StyleFor(request.style)));
}

int ShowAdvice(const ViewRequest& request, const LoadedModel& loaded) {
  std::vector<std::string> checkers = request.checkers;
  if (checkers.empty()) checkers.assign(std::begin(tfprof::kCheckers), std::end(tfprof::kCheckers));
  const tfprof::Advice advice = tfprof::Advise(loaded.model, checkers);
  for (const std::string& note : advice.notes) Say(note);
  return Print(tfprof::AdviceText(advice));
}

}  // namespace

int ShowView(const ViewRequest& request, LoadedModel& loaded) {
  for (const std::string& hint : request.hints) Say("stepscope view: " + hint);
  loaded.PrepareFor(KindOf(request.view));
  if (!request.write_profile.empty()) {
    const std::string bytes = EncodeProfileProto(loaded.model.ToProfile());
    if (Result<void> done = WriteBytes(request.write_profile, bytes); !done) {
      return PrintError("view", done.error());
    }
  }
  if (request.view == "advise") return ShowAdvice(request, loaded);
  return request.output_given ? ShowAsTensorFlow(request, loaded) : ShowTable(request, loaded);
}

}  // namespace stepscope
