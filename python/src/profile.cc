#include <pybind11/pybind11.h>
#include <pybind11/stl.h>

#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "errors.h"
#include "opened_profile.h"
#include "present/report_json.h"
#include "present/report_text.h"
#include "read/open.h"
#include "register.h"
#include "watched.h"

namespace stepscope::python {
namespace py = pybind11;
namespace {

// What Python holds: an opened profile until it is closed. Work that runs meanwhile keeps its own
// reference, so that closing is never a crash.
class ProfileHandle {
 public:
  explicit ProfileHandle(std::shared_ptr<OpenedProfile> opened) : opened_(std::move(opened)) {}

  std::shared_ptr<OpenedProfile> Get() const {
    const std::scoped_lock lock(mutex_);
    if (opened_) return opened_;
    throw py::value_error("the profile is closed");
  }
  bool closed() const {
    const std::scoped_lock lock(mutex_);
    return opened_ == nullptr;
  }
  void Close() {
    std::shared_ptr<OpenedProfile> last;
    {
      const std::scoped_lock lock(mutex_);
      last.swap(opened_);
    }
    const py::gil_scoped_release released;
    last.reset();
  }

 private:
  mutable std::mutex mutex_;
  std::shared_ptr<OpenedProfile> opened_;
};

std::unique_ptr<ProfileHandle> OpenPaths(const std::vector<std::string>& paths,
                                         const std::string& run, unsigned threads,
                                         const py::object& progress) {
  Result<Profile> profile = Watched(progress, [&](const Watch& watch) {
    TaskPool pool(threads);
    return OpenProfile(paths, {.run = run, .progress = watch.progress}, pool);
  });
  return std::make_unique<ProfileHandle>(
      std::make_shared<OpenedProfile>(Unwrap(std::move(profile)), threads));
}

py::bytes ReportJson(const ProfileHandle& handle) {
  const std::shared_ptr<OpenedProfile> opened = handle.Get();
  std::string out = Watched(py::none(), [&](const Watch&) {
    std::string json;
    WriteReportsJson(opened->Everything(), json);
    return json;
  });
  return {out};
}

std::string ReportText(const ProfileHandle& handle, size_t top, bool all, size_t width, bool ascii,
                       bool color) {
  const std::shared_ptr<OpenedProfile> opened = handle.Get();
  return Watched(py::none(), [&](const Watch&) {
    Style style;
    style.width = width;
    style.ascii = ascii;
    style.color = color;
    return ReportsText(opened->Everything(), {.style = style, .top = top, .all = all});
  });
}

}  // namespace

void RegisterProfile(py::module_& module) {
  py::class_<ProfileHandle>(module, "Profile")
      .def("close", &ProfileHandle::Close)
      .def_property_readonly("closed", &ProfileHandle::closed)
      .def_property_readonly("paths",
                             [](const ProfileHandle& p) { return p.Get()->profile().paths; })
      .def_property_readonly(
          "trace_count", [](const ProfileHandle& p) { return p.Get()->profile().traces.size(); })
      .def("report_json", &ReportJson)
      .def("report_text", &ReportText, py::arg("top"), py::arg("all"), py::arg("width"),
           py::arg("ascii"), py::arg("color"));
  module.def("open", &OpenPaths, py::arg("paths"), py::arg("run"), py::arg("threads"),
             py::arg("progress"));
}

}  // namespace stepscope::python
