// Timelines as `stepscope timeline` writes them: one run from its bytes, or several from files.
#include <pybind11/pybind11.h>
#include <pybind11/stl.h>

#include <memory>
#include <string>
#include <vector>

#include "errors.h"
#include "io/byte_sink.h"
#include "io/input_files.h"
#include "link/linked_trace.h"
#include "read/run_metadata/run_metadata_trace.h"
#include "register.h"
#include "timeline_message.h"
#include "tools/timeline/chrome_timeline.h"
#include "tools/timeline/run_metadata_details.h"
#include "tools/timeline/timeline_file.h"
#include "watched.h"

namespace stepscope::python {
namespace py = pybind11;
namespace {

class StringSink : public ByteSink {
 public:
  Result<void> Write(std::string_view bytes) override {
    text_ += bytes;
    return {};
  }
  Result<void> Close() override { return {}; }
  std::string Take() { return std::move(text_); }

 private:
  std::string text_;
};

std::string ImprovedTimeline(const py::bytes& message, bool dataflow, bool memory) {
  const std::unique_ptr<RunMessage> run = ParseRunMessage(message);
  return Unwrap(Watched(py::none(), [&](const Watch&) -> Result<std::string> {
    TaskPool pool;
    Diagnostics ignored;  // TensorFlow's interface has no place for them
    const Trace trace =
        BuildRunMetadataTrace(std::span(&run->metadata, 1), nullptr, "session.run", pool, ignored);
    const LinkedTrace linked = LinkTrace(trace, {}, pool);
    TimelineInput input;
    input.trace = &trace;
    input.links = &linked.links;
    input.steps = &linked.steps;
    input.details = DetailsOf(run->metadata, trace);
    input.arrows = DataFlowOf(run->metadata, trace);
    TimelineOptions options;
    options.dataflow = dataflow;
    options.memory = memory;
    std::vector<TimelineInput> inputs;
    inputs.push_back(std::move(input));
    const Result<TimelinePlan> plan = PlanTimeline(std::move(inputs), options);
    if (!plan) return std::unexpected(plan.error());
    StringSink sink;
    if (Result<void> done = WriteChromeTimeline(*plan, options, sink); !done) {
      return std::unexpected(std::move(done.error()));
    }
    return sink.Take();
  }));
}

Result<void> MergeFiles(const std::vector<std::string>& paths, const std::string& output) {
  if (Result<void> other = CheckNotInput(output, paths); !other) return other;
  TimelineSources sources;
  for (const std::string& path : paths) {
    if (Result<void> opened = sources.Open(path, 0); !opened) return opened;
  }
  const TimelineOptions options;
  const Result<TimelinePlan> plan = PlanTimeline(sources.TakeInputs(), options);
  if (!plan) return std::unexpected(plan.error());
  return WriteTimelineFile(*plan, options, TimelineFormatForName(output), output);
}

}  // namespace

void RegisterTimelineRuns(py::module_& module) {
  module.def("_timeline_improved", &ImprovedTimeline, py::arg("message"), py::arg("dataflow"),
             py::arg("memory"));
  module.def(
      "_merge_timelines",
      [](const std::vector<std::string>& paths, const std::string& output) {
        Unwrap(Watched(py::none(), [&](const Watch&) { return MergeFiles(paths, output); }));
      },
      py::arg("paths"), py::arg("output"));
}

}  // namespace stepscope::python
