#pragma once

#include <stop_token>
#include <string>
#include <thread>

namespace stepscope {

// Samples what nvidia-smi shows of each GPU, ten times a second, into a file of its own: use,
// clocks, power, temperature, memory, why clocks are held down, and on Hopper and later how much of
// the chip works (GPM). NVML is found at run time; without it nothing happens. A thread of its own,
// because some of NVML's calls take milliseconds.
class GpuCounters {
 public:
  // `pid` is the program's; `visible` limits the GPUs like CUDA_VISIBLE_DEVICES.
  GpuCounters(std::string directory, int64_t pid, std::string visible);
  ~GpuCounters() = default;
  GpuCounters(const GpuCounters&) = delete;
  GpuCounters& operator=(const GpuCounters&) = delete;

 private:
  std::jthread thread_;
};

}  // namespace stepscope
