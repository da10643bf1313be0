#include <pybind11/pybind11.h>

#include <string>
#include <utility>

#include "errors.h"
#include "register.h"
#include "tools/nan/nan_hunt.h"
#include "tools/nan/nan_text.h"
#include "tools/nan/tfdbg/check_numerics_log.h"
#include "tools/nan/tfdbg/debug_dump.h"
#include "watched.h"

namespace stepscope::python {
namespace py = pybind11;
namespace {

// Text for people and JSON ("stepscope.nan/1"), as the verb `nan` gives them.
using Told = std::pair<std::string, std::string>;

Told FromLog(const std::string& log) {
  const py::gil_scoped_release released;
  const auto messages = FindCheckNumerics(log);
  return {NanMessagesText(messages, NanDetail::kFirst, Style()),
          NanMessagesJson(messages, Language::kEnglish)};
}

Told FromDump(const std::string& directory) {
  return Unwrap(Watched(py::none(), [&](const Watch&) -> Result<Told> {
    const Result<DebugDump> dump = ReadDebugDump(directory);
    if (!dump) return std::unexpected(dump.error());
    const NanHunt hunt = HuntNan(*dump);
    return Told(NanHuntText(*dump, hunt, NanDetail::kFirst, Style()),
                NanHuntJson(*dump, hunt, Language::kEnglish));
  }));
}

py::tuple TupleOf(const Told& told) { return py::make_tuple(told.first, told.second); }

}  // namespace

void RegisterNan(py::module_& module) {
  module.def(
      "_nan_in_log", [](const std::string& log) { return TupleOf(FromLog(log)); }, py::arg("log"));
  module.def(
      "_nan_in_dump", [](const std::string& directory) { return TupleOf(FromDump(directory)); },
      py::arg("directory"));
}

}  // namespace stepscope::python
