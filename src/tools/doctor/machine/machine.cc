#include "tools/doctor/machine/machine.h"

#include <unistd.h>

#include <algorithm>
#include <filesystem>

#include "tools/doctor/machine/nvml.h"
#include "words/tools.h"

extern char** environ;

namespace stepscope {
namespace {

constexpr SayFrom<kToolsTexts> Say;

namespace fs = std::filesystem;

std::map<std::string, std::string> EnvironmentOf(const RootFiles& files) {
  std::map<std::string, std::string> variables;
  const auto add = [&](std::string_view line) {
    const size_t equals = line.find('=');
    if (equals == std::string_view::npos) return;
    variables[std::string(line.substr(0, equals))] = line.substr(equals + 1);
  };
  if (!files.recorded()) {
    for (char** variable = environ; *variable != nullptr; ++variable) add(*variable);
    return variables;
  }
  const std::string text = files.Text("/environ").value_or("");
  for (size_t at = 0; at < text.size();) {
    const size_t end = std::min(text.find('\n', at), text.size());
    add(std::string_view(text).substr(at, end - at));
    at = end + 1;
  }
  return variables;
}

GpuFacts GpuFactsOf(const RootFiles& files) {
  GpuFacts facts;
  if (!files.recorded()) {
    facts = AskNvml();
  } else if (const auto text = files.Text("/nvml.json")) {
    const Result<JsonValue> json = ParseJson(*text);
    if (json) facts = FromRecordedNvml(*json);
    if (!json) facts.driver.fault = Say("doctor.nvml-json");
  }
  if (!facts.driver.source.empty()) return facts;
  GpuFacts from_files = FromDriverFiles(files);
  from_files.driver.fault = facts.driver.fault;
  return from_files;
}

void ReadDriverParameters(const RootFiles& files, GpuDriver& driver) {
  const auto parameters = files.Text("/proc/driver/nvidia/params");
  if (!parameters) return;
  if (const auto restricted = FieldOf(*parameters, "RmProfilingAdminOnly")) {
    driver.profiling_restricted = *restricted != "0";
  }
}

void ReadNumaNodes(const RootFiles& files, std::vector<Gpu>& gpus) {
  for (Gpu& gpu : gpus) {
    // sysfs spells the domain with four digits, NVML with eight.
    std::string bus =
        gpu.bus_id.size() > 12 ? gpu.bus_id.substr(gpu.bus_id.size() - 12) : gpu.bus_id;
    std::ranges::transform(bus, bus.begin(),
                           [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
    const auto node = files.Number("/sys/bus/pci/devices/" + bus + "/numa_node");
    if (node && *node >= 0) gpu.numa_node = static_cast<int>(*node);
  }
}

// "libcupti.so.2024.3.2" gives "2024.3.2".
std::string VersionInName(const std::string& name) {
  const size_t at = name.find(".so.");
  return at == std::string::npos ? "" : name.substr(at + 4);
}

}  // namespace

std::vector<FoundLibrary> FindCudaLibraries(const RootFiles& files,
                                            const std::vector<std::string>& more_directories,
                                            const std::map<std::string, std::string>& environment) {
  std::vector<std::string> directories{"/usr/lib/x86_64-linux-gnu", "/usr/lib/aarch64-linux-gnu",
                                       "/usr/lib64", "/usr/lib/wsl/lib"};
  for (const std::string& name : files.List("/usr/local")) {
    if (!name.starts_with("cuda")) continue;
    directories.push_back("/usr/local/" + name + "/lib64");
    directories.push_back("/usr/local/" + name + "/extras/CUPTI/lib64");
  }
  const auto paths = environment.find("LD_LIBRARY_PATH");
  for (size_t at = 0; paths != environment.end() && at < paths->second.size();) {
    const size_t end = std::min(paths->second.find(':', at), paths->second.size());
    if (end > at) directories.push_back(paths->second.substr(at, end - at));
    at = end + 1;
  }
  directories.insert(directories.end(), more_directories.begin(), more_directories.end());
  std::vector<FoundLibrary> found;
  for (const std::string& directory : directories) {
    for (const std::string& name : files.List(directory)) {
      for (const std::string_view wanted : {"libcuda", "libnvidia-ml", "libcudart", "libcupti",
                                            "libcudnn", "libcublas", "libnccl", "libnvToolsExt"}) {
        if (!name.starts_with(std::string(wanted) + ".so")) continue;
        std::error_code error;
        const fs::path real = fs::canonical(files.PathOf(directory + "/" + name), error);
        const std::string version = VersionInName(error ? name : real.filename().string());
        const bool known = std::ranges::any_of(found, [&](const FoundLibrary& other) {
          return other.name == wanted && other.version == version;
        });
        if (!known) found.push_back({std::string(wanted), directory + "/" + name, version});
      }
    }
  }
  return found;
}

Machine ReadMachine(const RootFiles& files) {
  Machine machine;
  machine.hostname = files.Text("/proc/sys/kernel/hostname").value_or("");
  machine.kernel = files.Text("/proc/sys/kernel/osrelease").value_or("");
  machine.cpu = ReadCpu(files);
  machine.memory = ReadMemory(files);
  machine.limits = ReadCgroupLimits(files, machine.cpu.logical);
  machine.settings = ReadKernelSettings(files);
  GpuFacts gpus = GpuFactsOf(files);
  machine.driver = std::move(gpus.driver);
  machine.gpus = std::move(gpus.gpus);
  machine.links = std::move(gpus.links);
  ReadDriverParameters(files, machine.driver);
  ReadNumaNodes(files, machine.gpus);
  machine.environment = EnvironmentOf(files);
  machine.libraries = FindCudaLibraries(files, {}, machine.environment);
  return machine;
}

}  // namespace stepscope
