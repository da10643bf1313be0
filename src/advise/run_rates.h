#pragma once

#include "advise/given.h"
#include "base/message.h"

namespace stepscope {

// Whether preparing input sets the pace of the full run: a trivial model is no faster, or, where
// only that is known, synthetic data is. `near` is the ratio up to which two rates count as equal.
bool InputSetsThePace(const RunRates& rates, double near);

// "100.0 per second; trivial model 105.0 (1.05 ×); synthetic data 250.0 (2.50 ×): input sets the
// pace." Empty without a second run.
Message RatesSentence(const RunRates& rates, double near);

}  // namespace stepscope
