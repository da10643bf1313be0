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
#include "ranks/jobs.h"
#include "register.h"
#include "study/reported.h"
#include "watched.h"

namespace stepscope::python {
namespace py = pybind11;
namespace {

// A path, or bytes that stand for a file.
struct Given {
  std::vector<std::string> names;       // as shown
  std::vector<std::string> read_paths;  // as opened
  std::vector<MemoryFile> memory;
};

Given Take(const py::list& sources) {
  Given given;
  for (const py::handle source : sources) {
    const auto [is_path, bytes] = source.cast<std::pair<bool, py::bytes>>();
    const std::string_view content(bytes);
    if (is_path) {
      given.names.emplace_back(content);
      given.read_paths.emplace_back(content);
      continue;
    }
    MemoryFile file = Unwrap(MemoryFile::Of(content));
    given.names.push_back(
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
  Result<std::unique_ptr<Study>> study = Watched(progress, [&](const Watch& watch) {
    return Study::Open(given.read_paths, {.run = run,
                                          .settings = std::move(settings),
                                          .threads = threads,
                                          .progress = watch.progress,
                                          .stop = watch.stop,
                                          .names = given.names});
  });
  if (!study) Raise(study.error());
  return std::make_unique<ProfileHandle>(
      std::make_shared<OpenedProfile>(std::move(*study), std::move(given.memory)));
}

py::list Paths(const ProfileHandle& handle) {
  py::list out;
  for (const std::string& path : handle.Get()->profile().paths) out.append(FileName(path));
  return out;
}

py::bytes ReportJson(const ProfileHandle& handle, const std::string& lang) {
  const Language language = LanguageCalled(lang);
  const std::shared_ptr<OpenedProfile> opened = handle.Get();
  const std::string out =
      Unwrap(Watched(py::none(), [&](const Watch& watch) -> Result<std::string> {
        if (Result<void> made = opened->study().Prepare(watch.stop); !made) {
          return std::unexpected(std::move(made.error()));
        }
        std::string json;
        Study& study = opened->study();
        const JobsReport* const jobs = study.size() > 1 ? &study.jobs() : nullptr;
        WriteReportsJson(study.reported(), jobs, language, json);
        return json;
      }));
  return {out};
}

std::string ReportText(const ProfileHandle& handle, size_t top, bool all, size_t width, bool ascii,
                       bool color, const std::string& lang) {
  const Language language = LanguageCalled(lang);
  const std::shared_ptr<OpenedProfile> opened = handle.Get();
  return Unwrap(Watched(py::none(), [&](const Watch& watch) -> Result<std::string> {
    if (Result<void> made = opened->study().Prepare(watch.stop); !made) {
      return std::unexpected(std::move(made.error()));
    }
    Style style;
    style.width = width;
    style.ascii = ascii;
    style.color = color;
    style.language = language;
    return ReportsText(opened->study().reported(), {.style = style, .top = top, .all = all});
  }));
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
      .def("report_json", &ReportJson, py::arg("lang"))
      .def("report_text", &ReportText, py::arg("top"), py::arg("all"), py::arg("width"),
           py::arg("ascii"), py::arg("color"), py::arg("lang"))
      .def("slices_of", &SlicesOf, py::arg("trace"), py::arg("events"));
  module.def("open", &Open, py::arg("sources"), py::arg("run"), py::arg("config"),
             py::arg("threads"), py::arg("progress"));
}

}  // namespace stepscope::python
