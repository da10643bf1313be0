#pragma once

#include <vector>

#include "analyze/report.h"
#include "trace/recorded.h"

// What a recording adds to a report: the lines of Python that samples found, and what a step takes
// without the profiler.
namespace stepscope {

// One row per line of code. Samples of sleeping threads other than the main one are left out: they
// wait for work, which is not where time goes. A line that recurs on a stack counts once.
std::vector<PythonRow> AnalyzePython(const Recorded& recorded);

// The median (lower middle) over the steps in which no profiler ran.
void AddUnprofiledSteps(const Recorded& recorded, StepStatistics& statistics);

}  // namespace stepscope
