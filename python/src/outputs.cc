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
#include "query/table_export.h"
#include "ranks/jobs.h"
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
  if (options.align == AlignRuns::kCollectives) {
    const Result<void> aligned = AlignByCollectives(opened.study().jobs(), inputs);
    if (!aligned) return std::unexpected(aligned.error());
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
  if (*name == "collectives") return AlignRuns::kCollectives;
  Raise(
      {ErrorCode::kUsage, "align is epoch, start, none or collectives, not " + *name, {}, {}, {}});
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
  Study& study = opened.study();
  return OneFileHtml(study.reported(), study.size() > 1 ? &study.jobs() : nullptr, language, pool);
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

std::vector<std::string> ToParquet(const ProfileHandle& handle, const std::string& path,
                                   const std::vector<std::string>& tables,
                                   std::optional<int64_t> first_step,
                                   std::optional<int64_t> last_step) {
  const std::shared_ptr<OpenedProfile> opened = handle.Get();
  return Unwrap(Watched(py::none(), [&](const Watch&) -> Result<std::vector<std::string>> {
    const Result<std::unique_ptr<query::Database>> database =
        query::Database::Open(opened->tables());
    if (!database) return std::unexpected(database.error());
    TaskPool pool(opened->study().threads());
    const Result<std::vector<query::ExportedFile>> files = query::ExportTables(
        **database,
        {.tables = tables,
         .format = query::TableFormat::kParquet,
         .selection = {.first_step = first_step, .last_step = last_step, .device = {}},
         .output = path},
        pool);
    if (!files) return std::unexpected(files.error());
    std::vector<std::string> paths;
    for (const query::ExportedFile& file : *files) paths.push_back(file.path);
    return paths;
  }));
}

}  // namespace

void RegisterOutputs(py::module_& module) {
  module.def("timeline", &Timeline, py::arg("profile"), py::arg("path"), py::arg("align"),
             py::arg("gap_ms"), py::arg("first_step"), py::arg("last_step"), py::arg("dataflow"),
             py::arg("memory"));
  module.def("to_parquet", &ToParquet, py::arg("profile"), py::arg("path"), py::arg("tables"),
             py::arg("first_step"), py::arg("last_step"));
  module.def("save_html", &SaveHtml, py::arg("profile"), py::arg("path"), py::arg("lang"));
}

}  // namespace stepscope::python
