#include <pybind11/pybind11.h>
#include <pybind11/stl.h>

#include <optional>
#include <string>
#include <vector>

#include "errors.h"
#include "link/linked_trace.h"
#include "profile_handle.h"
#include "register.h"
#include "tools/tfprof/tfprof_output.h"
#include "tools/tfprof/trace_model.h"
#include "tools/tfprof/view_inputs.h"
#include "tools/tfprof/view_options.h"
#include "tools/tfprof/view_table.h"
#include "watched.h"

namespace stepscope::python {
namespace py = pybind11;
namespace {

struct Shown {
  std::string text, json;
  std::vector<std::string> notes;
};

Result<ViewRequest> Request(std::vector<std::string> words) {
  std::vector<char*> arguments;
  for (std::string& word : words) arguments.push_back(word.data());
  Result<ViewRequest> request = ParseViewRequest(arguments);
  if (request) request->inputs = {};
  return request;
}

tfprof::ViewKind KindOf(const ViewRequest& request) {
  return tfprof::ViewKindOf(request.view).value_or(tfprof::ViewKind::kScope);
}

struct Viewed {
  LoadedModel loaded;
  const Trace* trace = nullptr;  // what the model was made of, where it was
};

// The model behind the view: TensorFlow's files are read again for what a trace does not hold,
// anything else is made of the trace at hand (the first, or the one that --trace names).
Result<Viewed> ModelFor(OpenedProfile& opened, const ViewRequest& request) {
  const Profile& profile = opened.profile();
  if (profile.traces.front().facts.format == Format::kRunMetadata) {
    ViewInputs inputs;
    inputs.paths = opened.study().read_paths();
    Result<LoadedModel> loaded = LoadModel(inputs);
    if (!loaded) return std::unexpected(std::move(loaded.error()));
    return Viewed{std::move(*loaded), nullptr};
  }
  const Result<std::vector<size_t>> chosen = TracesNamed(profile, request.trace);
  if (!chosen) return std::unexpected(chosen.error());
  const size_t number = chosen->front();
  const LinkedTrace& linked = opened.study().linked(number);
  Viewed viewed{{}, &linked.trace};
  viewed.loaded.model = ViewedTrace(linked, KindOf(request));
  return viewed;
}

Result<Shown> Show(OpenedProfile& opened, const ViewRequest& request, size_t width) {
  const tfprof::ViewKind kind = KindOf(request);
  Result<Viewed> viewed = ModelFor(opened, request);
  if (!viewed) return std::unexpected(std::move(viewed.error()));
  const LoadedModel* const loaded = &viewed->loaded;
  if (std::string reason = tfprof::CannotShow(loaded->model, kind, request.options);
      !reason.empty()) {
    return Fail(ErrorCode::kUsage, std::move(reason));
  }
  const tfprof::View view = tfprof::MakeView(kind, loaded->model, request.options);
  std::optional<std::vector<tfprof::WallTimes>> wall;
  if (request.wall) wall = tfprof::WallOf(loaded->model, view, request.options.step);
  const tfprof::ViewTable table{loaded->model, view, request.options, wall ? &*wall : nullptr,
                                viewed->trace};
  Style style;
  style.width = width;
  Shown shown{tfprof::RenderTable(table, style), tfprof::RenderJson(table), {}};
  shown.notes = loaded->notes;
  shown.notes.insert(shown.notes.end(), request.hints.begin(), request.hints.end());
  shown.notes.insert(shown.notes.end(), view.notes.begin(), view.notes.end());
  return shown;
}

py::tuple ShowView(const ProfileHandle& handle, std::vector<std::string> words, size_t width) {
  const std::shared_ptr<OpenedProfile> opened = handle.Get();
  const ViewRequest request = Unwrap(Request(std::move(words)));
  const Shown shown =
      Unwrap(Watched(py::none(), [&](const Watch&) { return Show(*opened, request, width); }));
  return py::make_tuple(shown.text, py::bytes(shown.json), shown.notes);
}

}  // namespace

void RegisterView(py::module_& module) {
  module.def("view", &ShowView, py::arg("profile"), py::arg("words"), py::arg("width"));
}

}  // namespace stepscope::python
