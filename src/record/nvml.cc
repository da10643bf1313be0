#include "record/nvml.h"

#include <dlfcn.h>

#include <utility>

namespace stepscope {

struct Nvml::Functions {
  template <typename... Arguments>
  using Call = int (*)(Arguments...);

  void* library = nullptr;
  Call<> Init = nullptr, Shutdown = nullptr;
  Call<unsigned*> GetCount = nullptr;
  Call<unsigned, void**> GetHandle = nullptr;
  Call<void*, char*, unsigned> GetUuid = nullptr, GetName = nullptr;
  Call<void*, unsigned*> GetUse = nullptr;  // two numbers: GPU, memory
  Call<void*, int, unsigned*> GetClock = nullptr, GetMostClock = nullptr, GetTemperature = nullptr;
  Call<void*, unsigned*> GetPower = nullptr, GetPowerLimit = nullptr;
  Call<void*, uint64_t*> GetMemory = nullptr;  // three numbers: total, free, used
  Call<void*, uint64_t*> GetReasons = nullptr;
  Call<void**> AllocateSample = nullptr;
  Call<void*> FreeSample = nullptr;
  Call<void*, void*> TakeSample = nullptr;
  Call<void*> GetMetrics = nullptr;

  template <typename Function>
  bool Find(const char* name, Function& function) {
    function = reinterpret_cast<Function>(dlsym(library, name));
    return function != nullptr;
  }
};

namespace {

// nvmlGpmMetricsGet_t, as NVML's header lays it out; longer than any version of it.
struct GpmMetric {
  unsigned id = 0;
  int result = 0;
  double value = 0;
  const char* names[3] = {};
};
struct GpmRequest {
  unsigned version = 1, count = 0;
  void *before = nullptr, *after = nullptr;
  GpmMetric metrics[512];
};
enum GpmId : unsigned { kSmUse = 2, kOccupancy = 3, kTensor = 5, kDramUse = 10 };

template <typename T, typename Function, typename... Arguments>
std::optional<double> Ask(Function function, double unit, Arguments... arguments) {
  T value = 0;
  if (function == nullptr || function(arguments..., &value) != 0) return std::nullopt;
  return static_cast<double>(value) * unit;
}

}  // namespace

Nvml::Nvml() : functions_(std::make_unique<Functions>()) {}

Nvml::~Nvml() {
  if (functions_->FreeSample != nullptr) {
    for (const auto* list : {&samples_, &samples_before_}) {
      for (void* sample : *list) functions_->FreeSample(sample);
    }
  }
  if (functions_->Shutdown != nullptr && !devices_.empty()) functions_->Shutdown();
  if (functions_->library != nullptr) dlclose(functions_->library);
}

std::unique_ptr<Nvml> Nvml::Load() {
  std::unique_ptr<Nvml> nvml(new Nvml);
  Functions& f = *nvml->functions_;
  f.library = dlopen("libnvidia-ml.so.1", RTLD_NOW);
  if (f.library == nullptr) return nullptr;
  const bool whole = f.Find("nvmlInit_v2", f.Init) && f.Find("nvmlShutdown", f.Shutdown) &&
                     f.Find("nvmlDeviceGetCount_v2", f.GetCount) &&
                     f.Find("nvmlDeviceGetHandleByIndex_v2", f.GetHandle);
  if (!whole || f.Init() != 0) return nullptr;
  f.Find("nvmlDeviceGetUUID", f.GetUuid);
  f.Find("nvmlDeviceGetName", f.GetName);
  f.Find("nvmlDeviceGetUtilizationRates", f.GetUse);
  f.Find("nvmlDeviceGetClockInfo", f.GetClock);
  f.Find("nvmlDeviceGetMaxClockInfo", f.GetMostClock);
  f.Find("nvmlDeviceGetTemperature", f.GetTemperature);
  f.Find("nvmlDeviceGetPowerUsage", f.GetPower);
  f.Find("nvmlDeviceGetEnforcedPowerLimit", f.GetPowerLimit);
  f.Find("nvmlDeviceGetMemoryInfo", f.GetMemory);
  if (!f.Find("nvmlDeviceGetCurrentClocksEventReasons", f.GetReasons)) {
    f.Find("nvmlDeviceGetCurrentClocksThrottleReasons", f.GetReasons);
  }
  const bool gpm =
      f.Find("nvmlGpmSampleAlloc", f.AllocateSample) && f.Find("nvmlGpmSampleFree", f.FreeSample) &&
      f.Find("nvmlGpmSampleGet", f.TakeSample) && f.Find("nvmlGpmMetricsGet", f.GetMetrics);
  if (!gpm) f.TakeSample = nullptr;
  unsigned count = 0;
  f.GetCount(&count);
  for (unsigned i = 0; i < count; ++i) {
    void* device = nullptr;
    if (f.GetHandle(i, &device) != 0) continue;
    char uuid[96] = {};
    if (f.GetUuid != nullptr) f.GetUuid(device, uuid, sizeof uuid);
    nvml->devices_.push_back(device);
    nvml->uuids_.emplace_back(uuid);
  }
  nvml->samples_.resize(nvml->devices_.size());
  nvml->samples_before_.resize(nvml->devices_.size());
  return nvml->devices_.empty() ? nullptr : std::move(nvml);
}

std::string Nvml::Name(int device) const {
  char name[96] = "";
  if (functions_->GetName != nullptr) {
    functions_->GetName(devices_[static_cast<size_t>(device)], name, sizeof name);
  }
  return name;
}

GpuState Nvml::Sample(int device) {
  const Functions& f = *functions_;
  void* const at = devices_[static_cast<size_t>(device)];
  GpuState state;
  unsigned use[2] = {};
  if (f.GetUse != nullptr && f.GetUse(at, use) == 0) {
    state.used_percent = use[0];
    state.memory_used_percent = use[1];
  }
  uint64_t memory[3] = {};
  if (f.GetMemory != nullptr && f.GetMemory(at, memory) == 0) {
    state.memory_bytes = static_cast<double>(memory[2]);
  }
  constexpr int kSmClock = 1, kGpuSensor = 0;
  state.clock_mhz = Ask<unsigned>(f.GetClock, 1, at, kSmClock);
  state.most_clock_mhz = Ask<unsigned>(f.GetMostClock, 1, at, kSmClock);
  state.celsius = Ask<unsigned>(f.GetTemperature, 1, at, kGpuSensor);
  state.watts = Ask<unsigned>(f.GetPower, 1e-3, at);
  state.most_watts = Ask<unsigned>(f.GetPowerLimit, 1e-3, at);
  uint64_t reasons = 0;
  if (f.GetReasons != nullptr && f.GetReasons(at, &reasons) == 0) state.held_down = reasons;
  return state;
}

std::optional<GpuWork> Nvml::SampleWork(int device) {
  const Functions& f = *functions_;
  if (f.TakeSample == nullptr) return std::nullopt;
  void*& now = samples_[static_cast<size_t>(device)];
  void*& before = samples_before_[static_cast<size_t>(device)];
  std::swap(now, before);
  if (now == nullptr && f.AllocateSample(&now) != 0) return std::nullopt;
  if (f.TakeSample(devices_[static_cast<size_t>(device)], now) != 0 || before == nullptr) {
    return std::nullopt;
  }
  static thread_local GpmRequest request;
  constexpr unsigned kIds[] = {kSmUse, kOccupancy, kTensor, kDramUse};
  request = {.before = before, .after = now};
  for (const unsigned id : kIds) request.metrics[request.count++].id = id;
  if (f.GetMetrics(&request) != 0) return std::nullopt;
  const auto value = [&](size_t i) {
    return request.metrics[i].result == 0 ? request.metrics[i].value : -1.0;
  };
  return GpuWork{value(0), value(1), value(2), value(3)};
}

}  // namespace stepscope
