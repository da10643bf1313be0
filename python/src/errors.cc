#include "errors.h"

#include <pybind11/pybind11.h>
#include <pybind11/stl.h>

#include <utility>

#include "register.h"
#include "words/python.h"

namespace stepscope::python {
namespace py = pybind11;
namespace {

constexpr SayFrom<kPythonTexts> Say;

const char* ExceptionFor(ErrorCode code) {
  switch (code) {
    case ErrorCode::kCannotRead:
    case ErrorCode::kDamaged:
    case ErrorCode::kUnsupported:
      return "ReadError";
    case ErrorCode::kUsage:
      return "UsageError";
    case ErrorCode::kCannotWrite:
      return "WriteError";
    case ErrorCode::kInterrupted:
      return "Interrupted";
  }
  std::unreachable();
}

}  // namespace

py::object FileName(const std::string& name) {
  return py::reinterpret_steal<py::object>(
      PyUnicode_DecodeFSDefaultAndSize(name.data(), static_cast<Py_ssize_t>(name.size())));
}

void Raise(const Error& error) {
  const py::object type = py::module_::import("stepscope._errors").attr(ExceptionFor(error.code));
  const std::string text = InEnglish(error.sentence);
  const py::str sentence = py::reinterpret_steal<py::str>(
      PyUnicode_DecodeUTF8(text.data(), static_cast<Py_ssize_t>(text.size()), "replace"));
  const py::object exception =
      type(sentence, FileName(error.file), error.offset, InEnglish(error.next_step));
  PyErr_SetObject(type.ptr(), exception.ptr());
  throw py::error_already_set();
}

Language LanguageCalled(const std::string& name) {
  if (const std::optional<Language> language = LanguageNamed(name)) return *language;
  Raise({ErrorCode::kUsage, Say("python.no-language", name), {}, {}, {}});
}

void RegisterErrors(py::module_& module) {
  module.def(
      "_raise_for_tests",
      [](const std::string& sentence) {
        Raise({ErrorCode::kCannotRead, sentence, "f", 7, "next"});
      },
      py::arg("sentence"));
}

}  // namespace stepscope::python
