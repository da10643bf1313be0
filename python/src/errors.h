#pragma once

#include <pybind11/pybind11.h>

#include <string>
#include <type_traits>
#include <utility>

#include "base/result.h"

namespace stepscope::python {

// Raises the exception of stepscope._errors that goes with the code: ReadError, UsageError or
// WriteError, with the sentence, file, offset and next step of the command line. Needs the GIL.
[[noreturn]] void Raise(const Error& error);

// "en" or "zh"; raises UsageError for any other name.
Language LanguageCalled(const std::string& name);

// The name of a file as Python spells it: any bytes. Needs the GIL.
pybind11::object FileName(const std::string& name);

// The value, or the exception. Needs the GIL.
template <typename T>
T Unwrap(Result<T> result) {
  if (!result) Raise(result.error());
  if constexpr (!std::is_void_v<T>) return std::move(*result);
}

}  // namespace stepscope::python
