#pragma once

#include <string>

#include "link/steps.h"

namespace stepscope {

// What of a profile a report is about.
struct ReportOptions {
  StepRange steps;     // --steps 5-8, by number
  std::string device;  // --device gpu:0
};

}  // namespace stepscope
