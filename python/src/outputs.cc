#include <pybind11/pybind11.h>
#include <pybind11/stl.h>

#include <deque>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "base/task_pool.h"
#include "cli/output.h"
#include "errors.h"
#include "export/chrome_timeline.h"
#include "export/perfetto_timeline.h"
#include "export/run_metadata_details.h"
#include "io/byte_sink.h"
#include "present/html/one_file.h"
#include "profile_handle.h"
#include "register.h"
#include "watched.h"

// What a profile is written as: a timeline, a page.
namespace stepscope::python {
namespace py = pybind11;
namespace {

bool IsPerfettoName(const std::string& path) {
  return path.ends_with(".pftrace") || path.ends_with(".pftrace.gz") ||
         path.ends_with(".perfetto-trace");
}

// RunMetadata is read once more for what a trace does not hold.
void AddDetails(TimelineInput& input, std::deque<RunMetadata>& runs) {
  if (input.trace->facts.format != Format::kRunMetadata) return;
  Diagnostics ignored;  // the reader of the trace has reported them
  Result<RunMetadata> run = ReadRunMetadata(input.trace->path, ignored);
  if (!run) return;
  runs.push_back(std::move(*run));
  input.details = DetailsOf(runs.back(), *input.trace);
  input.arrows = DataFlowOf(runs.back(), *input.trace);
}

Result<void> WriteTimeline(OpenedProfile& opened, const std::string& path,
                           const TimelineOptions& options) {
  std::deque<RunMetadata> runs;
  std::vector<TimelineInput> inputs;
  for (size_t i = 0; i < opened.profile().traces.size(); ++i) {
    TimelineInput input;
    input.trace = &opened.profile().traces[i];
    input.links = &opened.reports()[i].links;
    input.steps = &opened.reports()[i].steps;
    AddDetails(input, runs);
    inputs.push_back(std::move(input));
  }
  const Result<TimelinePlan> plan = PlanTimeline(std::move(inputs), options);
  if (!plan) return std::unexpected(plan.error());
  Result<std::unique_ptr<ByteSink>> sink = OpenSink(path, CompressionForName(path));
  if (!sink) return std::unexpected(std::move(sink.error()));
  Result<void> written = IsPerfettoName(path) ? WritePerfettoTimeline(*plan, options, **sink)
                                              : WriteChromeTimeline(*plan, options, **sink);
  if (!written) return written;
  return (*sink)->Close();
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

Result<std::string> Page(OpenedProfile& opened) {
  // The page cuts the reports to what it shows.
  std::vector<Report> cut = opened.reports();
  TaskPool pool(opened.threads());
  return OneFileHtml(opened.profile().traces, cut, opened.advice(), pool);
}

void SaveHtml(const ProfileHandle& handle, const std::string& path) {
  const std::shared_ptr<OpenedProfile> opened = handle.Get();
  Unwrap(Watched(py::none(), [&](const Watch&) -> Result<void> {
    const Result<std::string> page = Page(*opened);
    if (!page) return std::unexpected(page.error());
    return WriteFile(path, *page);
  }));
}

}  // namespace

void RegisterOutputs(py::module_& module) {
  module.def("timeline", &Timeline, py::arg("profile"), py::arg("path"), py::arg("align"),
             py::arg("gap_ms"), py::arg("first_step"), py::arg("last_step"), py::arg("dataflow"),
             py::arg("memory"));
  module.def("save_html", &SaveHtml, py::arg("profile"), py::arg("path"));
}

}  // namespace stepscope::python
