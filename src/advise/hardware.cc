#include "advise/hardware.h"

#include <array>

namespace stepscope {
namespace {

constexpr std::array kTable{
    HardwareRow{"B200", 80, 1100, 2250, 8000, 900},
    HardwareRow{"H200", 67, 494, 989, 4800, 450},
    HardwareRow{"H100", 67, 494, 989, 3350, 450},
    HardwareRow{"A100", 19.5, 156, 312, 2039, 300},
    HardwareRow{"A10", 31.2, 62.5, 125, 600, 32},
    HardwareRow{"L40", 90.5, 90.5, 181, 864, 32},
    HardwareRow{"L4", 30.3, 60, 121, 300, 32},
    HardwareRow{"RTX 4090", 82.6, 82.6, 165, 1008, 32},
    HardwareRow{"RTX 3090", 35.6, 35.6, 71, 936, 32},
    HardwareRow{"V100", 15.7, 0, 125, 900, 150},
    HardwareRow{"T4", 8.1, 0, 65, 320, 16},
    HardwareRow{"P100", 10.6, 0, 0, 732, 80},
    HardwareRow{"MI300X", 163.4, 653.7, 1307, 5300, 448},
    HardwareRow{"MI250", 45.3, 0, 362, 3276, 50},
};
// For devices of which only the compute capability is known.
constexpr HardwareRow kHopper{"9.0", 67, 494, 989, 3350, 450};
constexpr HardwareRow kAmpere{"8.0", 19.5, 156, 312, 2039, 300};
constexpr HardwareRow kVolta{"7.0", 15.7, 0, 125, 900, 150};
constexpr HardwareRow kOlder{"6.0", 10.6, 0, 0, 732, 80};

}  // namespace

const HardwareRow* HardwareOf(const Device& device) {
  for (const HardwareRow& row : kTable) {
    if (device.name.find(row.name) != std::string::npos) return &row;
  }
  if (device.compute_capability.empty()) return nullptr;
  switch (device.compute_capability.front()) {
    case '1':
      return &kHopper;  // 10.x and later
    case '9':
      return &kHopper;
    case '8':
      return &kAmpere;
    case '7':
      return &kVolta;
    default:
      return &kOlder;
  }
}

}  // namespace stepscope
