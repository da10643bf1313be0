#include "record/gpu_counters.h"

#include <fmt/format.h>

#include <array>
#include <chrono>
#include <condition_variable>
#include <mutex>
#include <sstream>
#include <utility>
#include <vector>

#include "record/nvml.h"
#include "record/recording_writer.h"
#include "trace/recorded_counters.h"

namespace stepscope {
namespace {

// "0,2" or "GPU-5f3a…": the devices that the program sees. An empty text is all of them.
std::vector<int> VisibleDevices(const Nvml& nvml, const std::string& visible) {
  std::vector<int> devices;
  std::istringstream words(visible);
  for (std::string word; std::getline(words, word, ',');) {
    for (int device = 0; device < nvml.count(); ++device) {
      const bool named = word.starts_with("GPU-") && nvml.Uuid(device).starts_with(word);
      if (named || word == fmt::format("{}", device)) devices.push_back(device);
    }
  }
  for (int device = 0; visible.empty() && device < nvml.count(); ++device) {
    devices.push_back(device);
  }
  return devices;
}

void Write(int64_t now, const GpuState& state, const std::string& gpu, RecordingWriter& writer) {
  const auto put = [&](const char* name, std::optional<double> value) {
    if (value) writer.Counter(now, name, gpu, *value);
  };
  put(counters::kGpuInUse, state.used_percent);
  put("GPU memory in use, %", state.memory_used_percent);
  put("GPU memory, bytes", state.memory_bytes);
  put(counters::kGpuClock, state.clock_mhz);
  put(counters::kGpuHighestClock, state.most_clock_mhz);
  put("GPU power, W", state.watts);
  put("GPU power limit, W", state.most_watts);
  put("GPU temperature, °C", state.celsius);
  if (!state.held_down) return;
  constexpr std::array kReasons{
      std::pair{uint64_t{kClockPowerCap | kClockPowerBrake}, counters::kHeldByPower},
      std::pair{uint64_t{kClockSoftHeat | kClockHardHeat}, counters::kHeldByHeat},
      std::pair{uint64_t{kClockSetting}, counters::kHeldBySetting},
      std::pair{uint64_t{kClockSlowdown}, counters::kHeldByHardware}};
  for (const auto& [bits, name] : kReasons) put(name, (*state.held_down & bits) != 0 ? 1 : 0);
}

void Write(int64_t now, const GpuWork& work, const std::string& gpu, RecordingWriter& writer) {
  const auto put = [&](const char* name, double value) {
    if (value >= 0) writer.Counter(now, name, gpu, value);
  };
  put("GPU multiprocessors working, %", work.multiprocessors);
  put("GPU occupancy, %", work.occupancy);
  put("GPU tensor cores working, %", work.tensor_cores);
  put("GPU memory bandwidth, %", work.memory_bandwidth);
}

void Watch(const std::stop_token& stop, const std::string& directory, int64_t pid,
           const std::string& visible) {
  const std::unique_ptr<Nvml> nvml = Nvml::Load();
  if (nvml == nullptr) return;
  const std::vector<int> devices = VisibleDevices(*nvml, visible);
  RecordingWriter writer;
  if (devices.empty() || !writer.Open(directory + "/gpu-counters.ssrec")) return;
  writer.Fact("pid", fmt::format("{}", pid));
  writer.Fact("gpu", nvml->Name(devices.front()));
  writer.Clock();
  writer.Flush();
  std::mutex mutex;
  std::condition_variable_any woken;
  constexpr auto kPeriod = std::chrono::milliseconds(100);
  auto next = std::chrono::steady_clock::now();
  for (int round = 0; !stop.stop_requested(); ++round) {
    const int64_t now = MonotonicNs();
    // CUDA numbers the devices that it sees from 0.
    for (size_t i = 0; i < devices.size(); ++i) {
      const std::string gpu = fmt::format("GPU {}", i);
      Write(now, nvml->Sample(devices[i]), gpu, writer);
      if (const std::optional<GpuWork> work = nvml->SampleWork(devices[i])) {
        Write(now, *work, gpu, writer);
      }
    }
    if (round % 5 == 0) writer.Flush();
    next += kPeriod;
    std::unique_lock lock(mutex);
    woken.wait_until(lock, stop, next, [] { return false; });
  }
  writer.Clock();
  writer.Flush();
}

}  // namespace

GpuCounters::GpuCounters(std::string directory, int64_t pid, std::string visible)
    : thread_([directory = std::move(directory), pid, visible = std::move(visible)](
                  const std::stop_token& stop) { Watch(stop, directory, pid, visible); }) {}

}  // namespace stepscope
