#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "base/message.h"

namespace stepscope {

struct Gpu {
  int index = 0;
  std::string name;
  std::string uuid;
  std::string bus_id;
  std::string compute_capability;  // "9.0"
  uint64_t memory_bytes = 0;
  uint64_t memory_used = 0;
  int sm_clock_mhz = 0, max_sm_clock_mhz = 0, memory_clock_mhz = 0;
  int pcie_generation = 0, max_pcie_generation = 0;
  int pcie_width = 0, max_pcie_width = 0;
  int nvlinks = 0;  // active
  std::optional<int> numa_node;
  std::optional<bool> persistence;
  std::optional<bool> mig;
};

struct GpuDriver {
  std::string version;
  std::string cuda;    // the newest CUDA it runs, "12.4"
  std::string source;  // "NVML", "recorded", "/proc/driver/nvidia"; "" without a driver
  Message fault;       // why NVML gave nothing, where it is there
  std::optional<bool> profiling_restricted;  // counters need privileges
};

}  // namespace stepscope
