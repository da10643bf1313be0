#include <fmt/format.h>
#include <pybind11/pybind11.h>
#include <pybind11/stl.h>

#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "advise/settings.h"
#include "errors.h"
#include "memory_file.h"
#include "opened_profile.h"
#include "present/report_json.h"
#include "present/report_text.h"
#include "profile_handle.h"
#include "read/open.h"
#include "register.h"
#include "watched.h"

namespace stepscope::python {
namespace py = pybind11;
namespace {

// A path, or bytes that stand for a file.
struct Given {
  std::vector<std::string> paths;       // as shown
  std::vector<std::string> read_paths;  // as opened
  std::vector<MemoryFile> memory;

  // Files without a name are called by what they are.
  std::string NameFor(const std::string& read_path) const {
    for (size_t i = 0; i < paths.size(); ++i) {
      if (read_paths[i] == read_path) return paths[i];
    }
    return read_path;
  }
};

Given Take(const py::list& sources) {
  Given given;
  for (const py::handle source : sources) {
    const auto [is_path, bytes] = source.cast<std::pair<bool, py::bytes>>();
    const std::string_view content(bytes);
    if (is_path) {
      given.paths.emplace_back(content);
      given.read_paths.emplace_back(content);
      continue;
    }
    MemoryFile file = Unwrap(MemoryFile::Of(content));
    given.paths.push_back(
        given.memory.empty() ? "<bytes>" : fmt::format("<bytes {}>", given.memory.size() + 1));
    given.read_paths.push_back(file.path());
    given.memory.push_back(std::move(file));
  }
  return given;
}

std::unique_ptr<ProfileHandle> Open(const py::list& sources, const std::string& run,
                                    const std::string& config, unsigned threads,
                                    const py::object& progress) {
  Settings settings = Unwrap(LoadSettings(config));
  Given given = Take(sources);
  Result<Profile> profile = Watched(progress, [&](const Watch& watch) {
    TaskPool pool(threads);
    return OpenProfile(given.read_paths,
                       {.run = run, .progress = watch.progress, .stop = watch.stop}, pool);
  });
  if (!profile) {
    profile.error().file = given.NameFor(profile.error().file);
    Raise(profile.error());
  }
  profile->paths = given.paths;
  for (Trace& trace : profile->traces) {
    trace.path = given.NameFor(trace.path);
    for (std::string& other : trace.other_paths) other = given.NameFor(other);
  }
  return std::make_unique<ProfileHandle>(
      std::make_shared<OpenedProfile>(std::move(*profile), std::move(settings), threads,
                                      std::move(given.read_paths), std::move(given.memory)));
}

py::list Paths(const ProfileHandle& handle) {
  py::list out;
  for (const std::string& path : handle.Get()->profile().paths) out.append(FileName(path));
  return out;
}

py::bytes ReportJson(const ProfileHandle& handle) {
  const std::shared_ptr<OpenedProfile> opened = handle.Get();
  const std::string out = Watched(py::none(), [&](const Watch&) {
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

std::vector<uint32_t> SlicesOf(const ProfileHandle& handle, size_t trace,
                               const std::vector<uint32_t>& events) {
  const std::shared_ptr<OpenedProfile> opened = handle.Get();
  if (trace >= opened->profile().traces.size()) throw py::index_error("no such trace");
  const py::gil_scoped_release released;
  return opened->SlicesOf(trace, events);
}

}  // namespace

void RegisterProfile(py::module_& module) {
  py::class_<ProfileHandle>(module, "Profile")
      .def("close", &ProfileHandle::Close)
      .def_property_readonly("closed", &ProfileHandle::closed)
      .def_property_readonly("paths", &Paths)
      .def_property_readonly(
          "trace_count",
          [](const ProfileHandle& handle) { return handle.Get()->profile().traces.size(); })
      .def("report_json", &ReportJson)
      .def("report_text", &ReportText, py::arg("top"), py::arg("all"), py::arg("width"),
           py::arg("ascii"), py::arg("color"))
      .def("slices_of", &SlicesOf, py::arg("trace"), py::arg("events"));
  module.def("open", &Open, py::arg("sources"), py::arg("run"), py::arg("config"),
             py::arg("threads"), py::arg("progress"));
}

}  // namespace stepscope::python
