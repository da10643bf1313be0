#include <pybind11/pybind11.h>

#include "register.h"

PYBIND11_MODULE(_native, module) {
  module.doc() = "The engine of stepscope. Use the package stepscope, not this module.";
  module.attr("__version__") = STEPSCOPE_VERSION;
  stepscope::python::RegisterErrors(module);
  stepscope::python::RegisterProfile(module);
  stepscope::python::RegisterTables(module);
  stepscope::python::RegisterView(module);
  stepscope::python::RegisterOutputs(module);
  stepscope::python::RegisterTimeline(module);
  stepscope::python::RegisterTimelineRuns(module);
  stepscope::python::RegisterTfprof(module);
  stepscope::python::RegisterEvents(module);
  stepscope::python::RegisterNan(module);
  stepscope::python::RegisterDiff(module);
}
