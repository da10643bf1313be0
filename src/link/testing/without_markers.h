#pragma once

#include "link/steps.h"
#include "trace/trace.h"

namespace stepscope {

// As if the program had never said where a step begins.
Trace WithoutMarkers(Trace trace);

// Expects (gtest) equally many steps whose borders lie within 5 % of the median marked step.
void ExpectSameBorders(const Steps& found, const Steps& marked);

}  // namespace stepscope
