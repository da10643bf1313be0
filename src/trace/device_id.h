#pragma once

#include <string>

#include "trace/trace.h"

namespace stepscope {

// gpu:0 for an index into Trace::devices; cpu:0 for one that is not there.
std::string DeviceIdAt(const Trace& trace, int32_t device);

}  // namespace stepscope
