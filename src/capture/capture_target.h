#pragma once

#include "base/result.h"
#include "capture/capture.h"
#include "capture/kineto/config_text.h"
#include "capture/profiler_service/messages.h"
#include "capture/serving/capture_serving.h"
#include "capture/target.h"

namespace stepscope {

// What to record, for each kind of target.
struct CaptureChoices {
  TracerLevels levels;
  KinetoOptions kineto;
  ServingOptions serving;
};

// Takes the profile, whatever the target is. Blocks; safe on any thread.
Result<Captured> CaptureFrom(const CaptureTarget& target, const CaptureChoices& choices,
                             const CaptureRequest& request);

}  // namespace stepscope
