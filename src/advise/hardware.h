#pragma once

#include <string_view>

#include "trace/trace.h"

namespace stepscope {

// Peak rates of a device as its maker publishes them (dense). Used for upper bounds only.
struct HardwareRow {
  std::string_view name;          // a word of the device's name
  double tflops_32 = 0;           // FP32 without tensor cores
  double tensor_tflops_tf32 = 0;  // 0: has none
  double tensor_tflops_16 = 0;
  double memory_gb_per_s = 0;
  double link_gb_per_s = 0;  // to other devices, one direction
  double host_gb_per_s = 0;  // to the host, one direction, as copies from pinned memory reach it
};

// By name, else by compute capability; nullptr for devices the table does not know.
const HardwareRow* HardwareOf(const Device& device);

// Whether its tensor cores multiply 8-bit floats, twice as fast as 16-bit ones.
bool HasFp8(const Device& device);

}  // namespace stepscope
