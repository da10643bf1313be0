#pragma once

#include <vector>

#include "advise/evidence.h"
#include "base/ids.h"
#include "base/time.h"

namespace stepscope {

// How the kernels of one name fill the device, weighted by time.
struct DeviceUse {
  StringId name = kEmptyString;
  DurationNs time{};     // per step
  double blocks = 0;     // of the multiprocessors that get one
  double occupancy = 0;  // percent; only where all of them say so
};

// Of all kernels but matrix and attention kernels, which are fast with few blocks. `unknown`: time
// of those that do not say how many blocks they have.
std::vector<DeviceUse> DeviceUseByName(const Evidence& e, DurationNs& unknown);

}  // namespace stepscope
