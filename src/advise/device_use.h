#pragma once

#include <string>
#include <vector>

#include "advise/evidence.h"
#include "advise/hardware.h"
#include "base/ids.h"
#include "base/time.h"

namespace stepscope {

// Whether the device that works most is a GPU.
bool Gpu(const Evidence& e);
// The device's peak rates, by what the profile says of it, else the machine; nullptr: unknown.
const HardwareRow* PeakRates(const Evidence& e);
std::string NameOfGpu(const Evidence& e);

// How the kernels of one name fill the device, weighted by time.
struct DeviceUse {
  StringId name = kEmptyString;
  DurationNs time{};     // per step
  double blocks = 0;     // of the multiprocessors that get one
  double occupancy = 0;  // percent; only where all of them say so
};

// Of all kernels; of matrix and attention kernels, which are fast with few threads, only the blocks
// count. Others that do little but start are left out. `unknown`: time of those that do not say how
// many blocks they have.
std::vector<DeviceUse> DeviceUseByName(const Evidence& e, DurationNs& unknown);

}  // namespace stepscope
