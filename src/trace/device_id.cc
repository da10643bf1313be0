#include "trace/device_id.h"

namespace stepscope {

std::string DeviceIdAt(const Trace& trace, int32_t device) {
  if (device < 0 || static_cast<size_t>(device) >= trace.devices.size()) return "cpu:0";
  const Device& d = trace.devices[static_cast<size_t>(device)];
  return DeviceIdOf(d.type, d.index);
}

}  // namespace stepscope
