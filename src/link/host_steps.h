#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/ids.h"
#include "base/time.h"
#include "link/links.h"
#include "link/steps.h"
#include "trace/trace.h"

namespace stepscope {

// A step as the host sees it, before the device work it launched is added.
struct HostStep {
  std::string name;
  int64_t number = 0;
  SliceId marker = kNoSlice;
  TimeNs start;
  TimeNs end;
};

struct HostSteps {
  StepSource source = StepSource::kNone;
  std::string source_name = "none";
  double confidence = 1;
  std::vector<HostStep> steps;  // by start
  bool any_length = false;      // what was found does not depend on how long rounds take
  bool as_run = false;          // borders are those of the work, not of what the program does
};

// Steps that the program marked for the profiler, else annotations of its own that tile the profile
// on one thread, else the steps line of a device. Empty when there is none.
HostSteps FindMarkedSteps(const Trace& trace);

// Annotations of any name that tile the profile, for profiles in which nothing better is found.
HostSteps FindAnnotatedSteps(const Trace& trace);

// Steps as devices saw them: their own steps lines, else the runs of the XLA module that takes most
// of a TPU's time. Their borders are those of device work, not of launches.
HostSteps FindDeviceSteps(const Trace& trace);

// The number at the end of a name, "12" of "train_step 12".
std::optional<int64_t> NumberOfName(std::string_view name);

// Steps of a JAX loop from the compiled functions that it calls over and over (call_rounds.h).
// Empty where nothing is called so.
HostSteps FindJittedSteps(const Trace& trace, const Links& links);

// Steps from what the launching thread does over and over (repetition.h). Empty when nothing
// repeats.
HostSteps FindRepeatedSteps(const Trace& trace, const Links& links);

}  // namespace stepscope
