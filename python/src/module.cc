#include <pybind11/pybind11.h>

#include "register.h"

PYBIND11_MODULE(_native, module) {
  module.doc() = "The engine of stepscope. Use the package stepscope, not this module.";
  module.attr("__version__") = STEPSCOPE_VERSION;
  stepscope::python::RegisterErrors(module);
  stepscope::python::RegisterProfile(module);
}
