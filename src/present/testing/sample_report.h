#pragma once

#include "analyze/report.h"
#include "trace/trace.h"

namespace stepscope {

struct SampleReport {
  Trace trace;
  Report report;
};

// A made-up profile of two steps on one device with something in every table: 40 % compute, 50 %
// waiting for input in the median step.
SampleReport MakeSampleReport();

}  // namespace stepscope
