#pragma once

#include <pybind11/pybind11.h>

// The parts of the extension module `stepscope._native`, one function per file. Names that begin
// with an underscore on the Python side are for the package's own Python code.
namespace stepscope::python {

void RegisterErrors(pybind11::module_& module);
void RegisterOutputs(pybind11::module_& module);
void RegisterView(pybind11::module_& module);
void RegisterTables(pybind11::module_& module);
void RegisterProfile(pybind11::module_& module);
void RegisterTimeline(pybind11::module_& module);
void RegisterTimelineRuns(pybind11::module_& module);
void RegisterTfprof(pybind11::module_& module);
void RegisterEvents(pybind11::module_& module);
void RegisterDiff(pybind11::module_& module);
void RegisterNan(pybind11::module_& module);

}  // namespace stepscope::python
