#pragma once

#include <vector>

#include "base/result.h"
#include "capture/capture.h"
#include "capture/profiler_service/messages.h"
#include "capture/target.h"

namespace stepscope {

// Asks every profiler server for a profile of the same span of time and writes one .xplane.pb per
// host into the directory. A server that is busy is asked again for ten seconds. Blocks until all
// have answered; nothing stays switched on in them.
Result<Captured> CaptureFromService(const std::vector<HostPort>& hosts, const TracerLevels& levels,
                                    const CaptureRequest& request);

}  // namespace stepscope
