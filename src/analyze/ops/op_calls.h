#pragma once

#include <cstdint>
#include <vector>

#include "analyze/device_work.h"
#include "base/time.h"
#include "link/links.h"
#include "trace/trace.h"

namespace stepscope {

// One call of an op or annotation: what it cost, before calls are grouped by name.
struct OpCall {
  uint32_t slice = 0;
  uint32_t parent = kNoRow;  // the call of the same kind around it
  bool outermost = true;     // not inside a call of the same name and kind
  uint32_t launched = 0;     // pieces of device work of its own
  DurationNs host_children;  // child calls of the same kind
  DurationNs host_runtime;   // runtime calls directly below
  DurationNs device_self;
  DurationNs device_total;
  DurationNs device_union;  // of its own device work
  DurationNs tensor_core_self;
  DurationNs tensor_core_total;
  TimeNs covered;  // its own device work seen so far ends here
};

// All calls of one kind (kOp or kAnnotation) in slice order, parents before children. Device work
// goes to the innermost framework op that contains its launch; for annotations, to the innermost
// annotation.
std::vector<OpCall> CallsOf(Kind kind, const Trace& trace, const Links& links,
                            const DeviceWork& work);

}  // namespace stepscope
