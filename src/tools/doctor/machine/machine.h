#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "tools/doctor/machine/gpu.h"
#include "tools/doctor/machine/root_files.h"

namespace stepscope {

struct Cpu {
  std::string model;
  int logical = 0;
  int physical = 0;
  int sockets = 0;
  int numa_nodes = 0;
  std::vector<std::string> vector_instructions;  // in the order of kVectorInstructions
  std::string governor;                          // of the first core; "" where there is none
  std::vector<std::vector<int>> node_cpus;
  bool has(std::string_view instruction) const;
};
// Names as the kernel spells them, and how people do.
struct VectorInstruction {
  std::string_view flag;
  std::string_view name;
};
extern const std::vector<VectorInstruction> kVectorInstructions;

struct Memory {
  uint64_t total = 0;
  uint64_t available = 0;
};

// What a container may use; nullopt: no limit.
struct CgroupLimits {
  std::optional<double> cpus;  // quota / period
  std::optional<uint64_t> memory_bytes;
  std::optional<int> cpuset;  // number of CPUs in the set, where it is smaller
  bool container = false;
};

struct KernelSettings {
  std::optional<int64_t> perf_event_paranoid;
  std::optional<int64_t> ptrace_scope;
  bool can_use_counters = false;  // root or CAP_SYS_ADMIN
  std::optional<uint64_t> shm_bytes;
};

struct FoundLibrary {
  std::string name;  // "libcupti"
  std::string path;
  std::string version;  // from its file name; "" where that has none
};

struct Machine {
  std::string hostname;
  std::string kernel;
  Cpu cpu;
  Memory memory;
  CgroupLimits limits;
  GpuDriver driver;
  std::vector<Gpu> gpus;
  // links[i][j] between two GPUs: "NV18", "PIX", "PXB", "PHB", "NODE", "SYS"; "X" for itself.
  std::vector<std::vector<std::string>> links;
  KernelSettings settings;
  std::vector<FoundLibrary> libraries;
  std::map<std::string, std::string> environment;
};

// Reads what there is; what is missing stays empty. Asks NVML on the real machine, and nvml.json on
// a recorded one; its environment is the file `environ` there.
Machine ReadMachine(const RootFiles& files);

// Parts of it.
Cpu ReadCpu(const RootFiles& files);
Memory ReadMemory(const RootFiles& files);
CgroupLimits ReadCgroupLimits(const RootFiles& files, int logical_cpus);
KernelSettings ReadKernelSettings(const RootFiles& files);
// In the system's places, LD_LIBRARY_PATH and these directories; each version once.
std::vector<FoundLibrary> FindCudaLibraries(const RootFiles& files,
                                            const std::vector<std::string>& more_directories,
                                            const std::map<std::string, std::string>& environment);

}  // namespace stepscope
