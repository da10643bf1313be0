#include <pybind11/pybind11.h>
#include <pybind11/stl.h>

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "base/task_pool.h"
#include "errors.h"
#include "io/atomic_file.h"
#include "io/input_files.h"
#include "link/linked_trace.h"
#include "present/html/one_file.h"
#include "profile_handle.h"
#include "register.h"
#include "study/reported.h"
#include "tools/timeline/timeline_file.h"
#include "watched.h"

// What a profile is written as: a timeline, a page.
namespace stepscope::python {
namespace py = pybind11;
namespace {

Result<void> WriteTimeline(OpenedProfile& opened, const std::string& path,
                           const TimelineOptions& options) {
  if (Result<void> other = CheckNotInput(path, opened.study().FilesRead()); !other) return other;
  TimelineExtras extras;
  std::vector<TimelineInput> inputs;
  for (size_t i = 0; i < opened.profile().traces.size(); ++i) {
    const LinkedTrace& linked = opened.study().linked(i);
    TimelineInput input{&linked.trace, &linked.links, &linked.steps, {}, {}};
    extras.Add(opened.study().ReadPathOf(i), input);
    inputs.push_back(std::move(input));
  }
  const Result<TimelinePlan> plan = PlanTimeline(std::move(inputs), options);
  if (!plan) return std::unexpected(plan.error());
  return WriteTimelineFile(*plan, options, TimelineFormatForName(path), path);
}

std::optional<AlignRuns> AlignmentCalled(const std::optional<std::string>& name) {
  if (!name) return std::nullopt;
  if (*name == "epoch") return AlignRuns::kEpoch;
  if (*name == "start") return AlignRuns::kStart;
  if (*name == "none") return AlignRuns::kNone;
  Raise({ErrorCode::kUsage, "align is epoch, start or none, not " + *name, {}, {}, {}});
}

void Timeline(const ProfileHandle& handle, const std::string& path,
              const std::optional<std::string>& align, std::optional<double> gap_ms,
              std::optional<int64_t> first_step, std::optional<int64_t> last_step, bool dataflow,
              bool memory) {
  const std::shared_ptr<OpenedProfile> opened = handle.Get();
  TimelineOptions options;
  options.align = AlignmentCalled(align);
  if (gap_ms) options.gap = DurationNs{static_cast<int64_t>(*gap_ms * 1e6)};
  options.first_step = first_step;
  options.last_step = last_step;
  options.dataflow = dataflow;
  options.memory = memory;
  Unwrap(Watched(py::none(), [&](const Watch&) { return WriteTimeline(*opened, path, options); }));
}

Result<std::string> Page(OpenedProfile& opened, Language language) {
  TaskPool pool(opened.study().threads());
  return OneFileHtml(opened.study().reported(), language, pool);
}

void SaveHtml(const ProfileHandle& handle, const std::string& path, const std::string& lang) {
  const Language language = LanguageCalled(lang);
  const std::shared_ptr<OpenedProfile> opened = handle.Get();
  Unwrap(Watched(py::none(), [&](const Watch&) -> Result<void> {
    if (Result<void> other = CheckNotInput(path, opened->study().FilesRead()); !other) return other;
    const Result<std::string> page = Page(*opened, language);
    if (!page) return std::unexpected(page.error());
    return WriteFile(path, *page);
  }));
}

}  // namespace

void RegisterOutputs(py::module_& module) {
  module.def("timeline", &Timeline, py::arg("profile"), py::arg("path"), py::arg("align"),
             py::arg("gap_ms"), py::arg("first_step"), py::arg("last_step"), py::arg("dataflow"),
             py::arg("memory"));
  module.def("save_html", &SaveHtml, py::arg("profile"), py::arg("path"), py::arg("lang"));
}

}  // namespace stepscope::python
