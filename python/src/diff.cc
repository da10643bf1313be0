#include "diff/diff.h"

#include <pybind11/pybind11.h>
#include <pybind11/stl.h>

#include <algorithm>
#include <memory>
#include <string>
#include <variant>
#include <vector>

#include "diff/diff_output.h"
#include "diff/open_side.h"
#include "errors.h"
#include "profile_handle.h"
#include "register.h"
#include "watched.h"
#include "words/python.h"

namespace stepscope::python {
namespace py = pybind11;
namespace {

constexpr SayFrom<kPythonTexts> Say;

// A run of a side: a profile that is open, or a path.
using Source = std::variant<std::shared_ptr<OpenedProfile>, std::string>;

std::vector<Source> Take(const py::list& sources) {
  std::vector<Source> taken;
  for (const py::handle source : sources) {
    if (py::isinstance<ProfileHandle>(source)) {
      taken.emplace_back(source.cast<const ProfileHandle&>().Get());
    } else {
      taken.emplace_back(source.cast<std::string>());
    }
  }
  return taken;
}

Result<std::vector<diff::Run>> RunsOf(const std::vector<Source>& sources, const Watch& watch) {
  std::vector<diff::Run> runs;
  for (const Source& source : sources) {
    std::vector<diff::Run> more;
    if (const auto* opened = std::get_if<std::shared_ptr<OpenedProfile>>(&source)) {
      if (Result<void> made = (*opened)->study().Prepare(watch.stop); !made) {
        return std::unexpected(made.error());
      }
      more = diff::RunsOf((*opened)->study());
    } else {
      Result<std::vector<diff::Run>> read = diff::OpenSide(
          {std::get<std::string>(source)}, {.progress = watch.progress, .stop = watch.stop});
      if (!read) return read;
      more = std::move(*read);
    }
    std::move(more.begin(), more.end(), std::back_inserter(runs));
  }
  return runs;
}

py::tuple Compare(const py::list& base, const py::list& now, double threshold, double alpha,
                  const std::string& by, const std::string& device, bool force,
                  const std::string& lang, const py::object& progress) {
  const Language language = LanguageCalled(lang);
  diff::Settings settings;
  settings.threshold = threshold;
  settings.alpha = alpha;
  const std::optional<diff::By> nodes = diff::ByNamed(by);
  if (!nodes) {
    Raise({ErrorCode::kUsage, Say("python.by", by), {}, {}, {}});
  }
  settings.by = *nodes;
  settings.device = device;
  settings.force = force;
  const std::vector<Source> first = Take(base), second = Take(now);
  struct Texts {
    std::string json, text;
  };
  const Texts texts = Unwrap(Watched(progress, [&](const Watch& watch) -> Result<Texts> {
    Result<std::vector<diff::Run>> from = RunsOf(first, watch);
    if (!from) return std::unexpected(std::move(from.error()));
    Result<std::vector<diff::Run>> to = RunsOf(second, watch);
    if (!to) return std::unexpected(std::move(to.error()));
    const diff::Diff compared = diff::Compare(std::move(*from), std::move(*to), settings);
    Texts made;
    diff::WriteDiffJson(compared, {}, language, made.json);
    made.text = diff::DiffText(compared, {}, {Style{.width = 100, .language = language}, 12});
    return made;
  }));
  return py::make_tuple(py::bytes(texts.json), texts.text);
}

}  // namespace

void RegisterDiff(py::module_& module) {
  module.def("diff", &Compare, py::arg("base"), py::arg("new"), py::arg("threshold"),
             py::arg("alpha"), py::arg("by"), py::arg("device"), py::arg("force"), py::arg("lang"),
             py::arg("progress"));
}

}  // namespace stepscope::python
