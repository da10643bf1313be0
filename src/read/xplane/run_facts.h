#pragma once

#include <cstdint>

#include "base/diagnostics.h"
#include "read/xplane/plane_context.h"
#include "read/xplane/space.h"
#include "trace/trace.h"

namespace stepscope::xplane {

// Framework, host, versions: what the planes say about the run.
RunFacts FactsOf(const Space& space);

// Lines count ns from the start of the profile; "Task Environment" says when that was.
struct ProfileClock {
  bool known = false;
  int64_t base_ns = 0;
};
ProfileClock ClockOf(const Space& space);

// Name, memory, compute capability of the device that a plane stands for.
Device DescribeDevice(const PlaneContext& context);

// Errors and warnings that the profiler wrote into the profile, and events it dropped.
void ReportWhatTheProfileSays(const Space& space, Diagnostics& diagnostics);

}  // namespace stepscope::xplane
