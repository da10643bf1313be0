#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace stepscope {

// NVML as it is found at run time (libnvidia-ml.so.1), for one device at a time.
struct GpuState {
  std::optional<double> used_percent, memory_used_percent;  // as nvidia-smi samples them
  std::optional<double> clock_mhz, most_clock_mhz;
  std::optional<double> watts, most_watts;
  std::optional<double> celsius, memory_bytes;
  std::optional<uint64_t> held_down;  // bits of ClockReason
};
enum ClockReason : uint64_t {
  kClockIdle = 0x1,
  kClockSetting = 0x2,
  kClockPowerCap = 0x4,
  kClockSlowdown = 0x8,
  kClockSoftHeat = 0x20,
  kClockHardHeat = 0x40,
  kClockPowerBrake = 0x80,
};
// Shares of the chip that worked between two samples, in percent; -1: not known.
struct GpuWork {
  double multiprocessors = -1, occupancy = -1, tensor_cores = -1, memory_bandwidth = -1;
};

class Nvml {
 public:
  // Null without a driver, or where it does not answer.
  static std::unique_ptr<Nvml> Load();
  ~Nvml();
  Nvml(const Nvml&) = delete;
  Nvml& operator=(const Nvml&) = delete;

  int count() const { return static_cast<int>(devices_.size()); }
  const std::string& Uuid(int device) const { return uuids_[static_cast<size_t>(device)]; }
  std::string Name(int device) const;  // "NVIDIA H200"
  GpuState Sample(int device);
  // Since the call before; nothing on chips before Hopper.
  std::optional<GpuWork> SampleWork(int device);

 private:
  struct Functions;
  Nvml();

  std::unique_ptr<Functions> functions_;
  std::vector<void*> devices_;
  std::vector<std::string> uuids_;
  std::vector<void*> samples_, samples_before_;  // of GPM
};

}  // namespace stepscope
