#pragma once

#include <memory>

#include "analyze/report.h"
#include "study/reported.h"

namespace stepscope {

struct SampleReport {
  std::unique_ptr<Trace> owned;
  Trace& trace;
  LinkedTrace linked;
  Report report;

  Reported reported() const { return {&linked, &report}; }
};

// A made-up profile of two steps on one device with something in every table: 40 % compute, 50 %
// waiting for input in the median step.
SampleReport MakeSampleReport();

}  // namespace stepscope
