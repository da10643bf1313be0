#include "tools/doctor/machine/nvml.h"
#include "words/tools.h"

#include <dlfcn.h>
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cctype>

namespace stepscope {
namespace {

constexpr SayFrom<kToolsTexts> Say;

// The part of NVML's C interface that is used; its numbers are stable across drivers.
using Device = void*;
using Return = int;  // 0: fine

struct PciInfo {  // nvmlPciInfo_t, version 3
  char bus_id_legacy[16];
  unsigned domain, bus, device, device_id, subsystem_id;
  char bus_id[32];
};
struct MemoryInfo {  // nvmlMemory_t
  unsigned long long total, free, used;
};

class Library {
 public:
  Library() : handle_(dlopen("libnvidia-ml.so.1", RTLD_NOW | RTLD_LOCAL)) {}
  Library(const Library&) = delete;
  Library& operator=(const Library&) = delete;
  ~Library() {
    if (started_) Call<>("nvmlShutdown");
    if (handle_ != nullptr) dlclose(handle_);
  }

  bool loaded() const { return handle_ != nullptr; }
  bool Start() {
    started_ = loaded() && Call<>("nvmlInit_v2") == 0;
    return started_;
  }
  // A function that this driver does not have answers with -1.
  template <typename... Arguments>
  Return Call(const char* name, Arguments... arguments) const {
    void* symbol = dlsym(handle_, name);
    if (symbol == nullptr) return -1;
    return reinterpret_cast<Return (*)(Arguments...)>(symbol)(arguments...);
  }

 private:
  void* handle_;
  bool started_ = false;
};

template <size_t kSize, typename... Arguments>
std::string TextOf(const Library& nvml, const char* name, Arguments... arguments) {
  std::array<char, kSize> text{};
  const Return code = nvml.Call(name, arguments..., text.data(), static_cast<unsigned>(kSize));
  return code == 0 ? std::string(text.data()) : "";
}

template <typename... Arguments>
int NumberOf(const Library& nvml, const char* name, Arguments... arguments) {
  unsigned value = 0;
  return nvml.Call(name, arguments..., &value) == 0 ? static_cast<int>(value) : 0;
}

int ActiveNvLinks(const Library& nvml, Device device) {
  constexpr unsigned kMostLinks = 18;
  int active = 0;
  for (unsigned link = 0; link < kMostLinks; ++link) {
    unsigned state = 0;
    if (nvml.Call("nvmlDeviceGetNvLinkState", device, link, &state) == 0 && state == 1) ++active;
  }
  return active;
}

Gpu DescribeGpu(const Library& nvml, Device device, int index) {
  Gpu gpu;
  gpu.index = index;
  gpu.name = TextOf<96>(nvml, "nvmlDeviceGetName", device);
  gpu.uuid = TextOf<96>(nvml, "nvmlDeviceGetUUID", device);
  PciInfo pci{};
  if (nvml.Call("nvmlDeviceGetPciInfo_v3", device, &pci) == 0) gpu.bus_id = pci.bus_id;
  int major = 0;
  int minor = 0;
  if (nvml.Call("nvmlDeviceGetCudaComputeCapability", device, &major, &minor) == 0) {
    gpu.compute_capability = fmt::format("{}.{}", major, minor);
  }
  MemoryInfo memory{};
  if (nvml.Call("nvmlDeviceGetMemoryInfo", device, &memory) == 0) {
    gpu.memory_bytes = memory.total;
    gpu.memory_used = memory.used;
  }
  constexpr unsigned kSmClock = 1;
  constexpr unsigned kMemoryClock = 2;
  gpu.sm_clock_mhz = NumberOf(nvml, "nvmlDeviceGetClockInfo", device, kSmClock);
  gpu.max_sm_clock_mhz = NumberOf(nvml, "nvmlDeviceGetMaxClockInfo", device, kSmClock);
  gpu.memory_clock_mhz = NumberOf(nvml, "nvmlDeviceGetClockInfo", device, kMemoryClock);
  gpu.pcie_generation = NumberOf(nvml, "nvmlDeviceGetCurrPcieLinkGeneration", device);
  gpu.max_pcie_generation = NumberOf(nvml, "nvmlDeviceGetMaxPcieLinkGeneration", device);
  gpu.pcie_width = NumberOf(nvml, "nvmlDeviceGetCurrPcieLinkWidth", device);
  gpu.max_pcie_width = NumberOf(nvml, "nvmlDeviceGetMaxPcieLinkWidth", device);
  gpu.nvlinks = ActiveNvLinks(nvml, device);
  unsigned mode = 0;
  if (nvml.Call("nvmlDeviceGetPersistenceMode", device, &mode) == 0) gpu.persistence = mode == 1;
  unsigned pending = 0;
  if (nvml.Call("nvmlDeviceGetMigMode", device, &mode, &pending) == 0) gpu.mig = mode == 1;
  return gpu;
}

// As `nvidia-smi topo -m` writes it.
std::string LinkBetween(const Library& nvml, Device a, Device b, int nvlinks) {
  constexpr unsigned kNvLink = 2;
  unsigned status = 1;
  if (nvml.Call("nvmlDeviceGetP2PStatus", a, b, kNvLink, &status) == 0 && status == 0) {
    return fmt::format("NV{}", nvlinks);
  }
  unsigned level = 0;
  if (nvml.Call("nvmlDeviceGetTopologyCommonAncestor", a, b, &level) != 0) return "?";
  switch (level) {
    case 0:
      return "X";
    case 10:
      return "PIX";
    case 20:
      return "PXB";
    case 30:
      return "PHB";
    case 40:
      return "NODE";
    default:
      return "SYS";
  }
}

}  // namespace

GpuFacts AskNvml() {
  GpuFacts facts;
  Library nvml;
  if (!nvml.loaded()) return facts;
  if (!nvml.Start()) {
    facts.driver.fault = Say("doctor.nvml-no-driver");
    return facts;
  }
  facts.driver.source = "NVML";
  facts.driver.version = TextOf<80>(nvml, "nvmlSystemGetDriverVersion");
  int cuda = 0;
  if (nvml.Call("nvmlSystemGetCudaDriverVersion_v2", &cuda) == 0) {
    facts.driver.cuda = fmt::format("{}.{}", cuda / 1000, cuda % 1000 / 10);
  }
  unsigned count = 0;
  nvml.Call("nvmlDeviceGetCount_v2", &count);
  std::vector<Device> devices;
  for (unsigned i = 0; i < count; ++i) {
    Device device = nullptr;
    if (nvml.Call("nvmlDeviceGetHandleByIndex_v2", i, &device) != 0) continue;
    devices.push_back(device);
    facts.gpus.push_back(DescribeGpu(nvml, device, static_cast<int>(i)));
  }
  for (size_t i = 0; i < devices.size(); ++i) {
    std::vector<std::string>& row = facts.links.emplace_back();
    for (size_t j = 0; j < devices.size(); ++j) {
      row.push_back(i == j ? "X"
                           : LinkBetween(nvml, devices[i], devices[j], facts.gpus[i].nvlinks));
    }
  }
  return facts;
}

GpuFacts FromRecordedNvml(const JsonValue& json) {
  GpuFacts facts;
  facts.driver.source = "recorded";
  facts.driver.version = json["driver"].text();
  facts.driver.cuda = json["cuda"].text();
  for (const JsonValue& one : json["gpus"].items()) {
    const auto number = [&](const char* key) { return static_cast<int>(one[key].AsInt()); };
    Gpu& gpu = facts.gpus.emplace_back();
    gpu.index = static_cast<int>(facts.gpus.size()) - 1;
    gpu.name = one["name"].text();
    gpu.uuid = one["uuid"].text();
    gpu.bus_id = one["bus_id"].text();
    gpu.compute_capability = one["compute_capability"].text();
    gpu.memory_bytes = static_cast<uint64_t>(one["memory_bytes"].AsInt());
    gpu.memory_used = static_cast<uint64_t>(one["memory_used"].AsInt());
    gpu.sm_clock_mhz = number("sm_clock_mhz");
    gpu.max_sm_clock_mhz = number("max_sm_clock_mhz");
    gpu.memory_clock_mhz = number("memory_clock_mhz");
    gpu.pcie_generation = number("pcie_generation");
    gpu.max_pcie_generation = number("max_pcie_generation");
    gpu.pcie_width = number("pcie_width");
    gpu.max_pcie_width = number("max_pcie_width");
    gpu.nvlinks = number("nvlinks");
    if (!one["persistence"].is_null()) gpu.persistence = one["persistence"].AsBool();
    if (!one["mig"].is_null()) gpu.mig = one["mig"].AsBool();
  }
  for (const JsonValue& row : json["links"].items()) {
    std::vector<std::string>& links = facts.links.emplace_back();
    for (const JsonValue& link : row.items()) links.push_back(link.text());
  }
  return facts;
}

GpuFacts FromDriverFiles(const RootFiles& files) {
  GpuFacts facts;
  const auto version = files.Text("/proc/driver/nvidia/version");
  if (!version) return facts;
  facts.driver.source = "/proc/driver/nvidia";
  // "NVRM version: NVIDIA UNIX x86_64 Kernel Module  550.54.15  Tue Mar …": the first word that
  // is digits and dots.
  for (size_t at = 0; at < version->size() && facts.driver.version.empty();) {
    const size_t end = std::min(version->find_first_of(" \t\n", at), version->size());
    const std::string word = version->substr(at, end - at);
    const bool number = word.contains('.') && std::ranges::all_of(word, [](unsigned char c) {
                          return std::isdigit(c) != 0 || c == '.';
                        });
    if (number) facts.driver.version = word;
    at = end + 1;
  }
  for (const std::string& bus : files.List("/proc/driver/nvidia/gpus")) {
    const std::string information =
        files.Text("/proc/driver/nvidia/gpus/" + bus + "/information").value_or("");
    Gpu& gpu = facts.gpus.emplace_back();
    gpu.index = static_cast<int>(facts.gpus.size()) - 1;
    gpu.bus_id = bus;
    gpu.name = FieldOf(information, "Model").value_or("");
    gpu.uuid = FieldOf(information, "GPU UUID").value_or("");
  }
  return facts;
}

}  // namespace stepscope
