#include "advise/hardware.h"

#include <algorithm>
#include <array>
#include <cctype>

namespace stepscope {
namespace {

constexpr std::array kTable{
    HardwareRow{"B200", 80, 1100, 2250, 8000, 900, 55},
    HardwareRow{"GB200", 80, 1100, 2250, 8000, 900, 55},
    HardwareRow{"GH200", 67, 494, 989, 4800, 450, 400},
    HardwareRow{"H200", 67, 494, 989, 4800, 450, 55},
    HardwareRow{"H100", 67, 494, 989, 3350, 450, 55},
    HardwareRow{"H20", 44, 74, 148, 4000, 450, 55},
    HardwareRow{"A100", 19.5, 156, 312, 2039, 300, 25},
    HardwareRow{"A10", 31.2, 62.5, 125, 600, 32, 25},
    HardwareRow{"A10G", 31.5, 35, 70, 600, 32, 25},
    HardwareRow{"L40S", 91.6, 183, 366, 864, 32, 25},
    HardwareRow{"L40", 90.5, 90.5, 181, 864, 32, 25},
    HardwareRow{"L4", 30.3, 60, 121, 300, 32, 25},
    HardwareRow{"RTX 4090", 82.6, 82.6, 165, 1008, 32, 25},
    HardwareRow{"RTX 3090", 35.6, 35.6, 71, 936, 32, 25},
    HardwareRow{"V100", 15.7, 0, 125, 900, 150, 12},
    HardwareRow{"T4", 8.1, 0, 65, 320, 16, 12},
    HardwareRow{"P100", 10.6, 0, 0, 732, 80, 12},
    HardwareRow{"MI300X", 163.4, 653.7, 1307, 5300, 448, 50},
    HardwareRow{"MI250X", 47.9, 0, 383, 3276, 50, 25},
    HardwareRow{"MI250", 45.3, 0, 362, 3276, 50, 25},
};
// For devices of which only the compute capability is known.
constexpr HardwareRow kHopper{"9.0", 67, 494, 989, 3350, 450, 55};
constexpr HardwareRow kAmpere{"8.0", 19.5, 156, 312, 2039, 300, 25};
constexpr HardwareRow kVolta{"7.0", 15.7, 0, 125, 900, 150, 12};
constexpr HardwareRow kOlder{"6.0", 10.6, 0, 0, 732, 80, 12};

// Whether the name holds the word: an RTX A1000 is no A100.
bool HasWord(std::string_view name, std::string_view word) {
  const auto joins = [](char c) { return std::isalnum(static_cast<unsigned char>(c)) != 0; };
  for (size_t at = name.find(word); at != std::string_view::npos; at = name.find(word, at + 1)) {
    const size_t end = at + word.size();
    if ((at == 0 || !joins(name[at - 1])) && (end == name.size() || !joins(name[end]))) return true;
  }
  return false;
}

}  // namespace

const HardwareRow* HardwareOf(const Device& device) {
  for (const HardwareRow& row : kTable) {
    if (HasWord(device.name, row.name)) return &row;
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

bool HasFp8(const Device& device) {
  static constexpr std::array<std::string_view, 13> kNames{
      "H100", "H200", "H20",  "GH200",    "B100",   "B200",  "GB200",
      "L4",   "L40",  "L40S", "RTX 4090", "MI300X", "MI325X"};
  const auto named = [&](std::string_view word) { return HasWord(device.name, word); };
  if (std::any_of(kNames.begin(), kNames.end(), named)) return true;
  // Ada is 8.9, Hopper 9.0, Blackwell 10.0 and later.
  const std::string& capability = device.compute_capability;
  return capability == "8.9" || capability.starts_with("9.") || capability.starts_with("1");
}

}  // namespace stepscope
