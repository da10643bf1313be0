#include <pybind11/pybind11.h>
#include <pybind11/stl.h>

#include <memory>
#include <string>
#include <vector>

#include "register.h"
#include "timeline_message.h"
#include "tools/timeline/timeline_py.h"

namespace stepscope::python {
namespace py = pybind11;
namespace {

// The text, and per allocator its largest moment: (allocator, micros, bytes, tensors).
py::tuple TimelineText(const py::bytes& message, bool dataflow, bool memory,
                       const std::string& op_time) {
  const std::unique_ptr<RunMessage> run = ParseRunMessage(message);
  TimelinePyOptions options;
  options.dataflow = dataflow;
  options.memory = memory;
  options.op_time = op_time == "gpu"   ? OpTime::kGpu
                    : op_time == "all" ? OpTime::kAll
                                       : OpTime::kSchedule;
  std::string text;
  std::vector<AllocatorPeak> peaks;
  {
    const py::gil_scoped_release released;
    text = TimelinePy(run->metadata, options, &peaks);
  }
  py::list rows;
  for (AllocatorPeak& peak : peaks) {
    rows.append(py::make_tuple(std::string(peak.allocator), peak.micros, peak.bytes,
                               std::move(peak.tensors)));
  }
  return py::make_tuple(text, rows);
}

}  // namespace

void RegisterTimeline(py::module_& module) {
  module.def("_timeline_text", &TimelineText, py::arg("message"), py::arg("dataflow"),
             py::arg("memory"), py::arg("op_time"));
}

}  // namespace stepscope::python
