#pragma once

#include "base/result.h"
#include "capture/capture.h"
#include "capture/kineto/config_text.h"

namespace stepscope {

// A profile of a Python program that has the hook of `stepscope record`, or into which it can be
// brought (CPython 3.14 and later): the framework's own profiler runs for the duration, or for
// options.steps.
Result<Captured> CaptureFromPython(int pid, const KinetoOptions& options,
                                   const CaptureRequest& request);

}  // namespace stepscope
