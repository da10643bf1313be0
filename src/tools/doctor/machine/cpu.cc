#include <algorithm>
#include <set>
#include <string>

#include "tools/doctor/machine/machine.h"

namespace stepscope {

const std::vector<VectorInstruction> kVectorInstructions{
    {"sse4_2", "SSE4.2"},
    {"avx", "AVX"},
    {"avx2", "AVX2"},
    {"fma", "FMA"},
    {"f16c", "F16C"},
    {"avx_vnni", "AVX-VNNI"},
    {"avx512f", "AVX-512F"},
    {"avx512bw", "AVX-512BW"},
    {"avx512dq", "AVX-512DQ"},
    {"avx512vl", "AVX-512VL"},
    {"avx512_vnni", "AVX-512-VNNI"},
    {"avx512_bf16", "AVX-512-BF16"},
    {"avx512_fp16", "AVX-512-FP16"},
    {"amx_tile", "AMX-TILE"},
    {"amx_bf16", "AMX-BF16"},
    {"amx_int8", "AMX-INT8"},
    {"asimd", "NEON"},
    {"sve", "SVE"},
    {"sve2", "SVE2"},
    {"bf16", "BF16"},
};

bool Cpu::has(std::string_view instruction) const {
  return std::ranges::find(vector_instructions, instruction) != vector_instructions.end();
}

namespace {

// Words of the first flags line.
std::set<std::string> FlagsOf(std::string_view cpuinfo) {
  const std::string line =
      FieldOf(cpuinfo, "flags").value_or(FieldOf(cpuinfo, "Features").value_or(""));
  std::set<std::string> flags;
  for (size_t at = 0; at < line.size();) {
    const size_t end = std::min(line.find(' ', at), line.size());
    if (end > at) flags.insert(line.substr(at, end - at));
    at = end + 1;
  }
  return flags;
}

// Counts processors, and cores and sockets by (physical id, core id).
void CountCores(std::string_view cpuinfo, Cpu& cpu) {
  std::set<std::string> sockets;
  std::set<std::pair<std::string, std::string>> cores;
  while (!cpuinfo.empty()) {
    const size_t end = std::min(cpuinfo.find("\n\n"), cpuinfo.size());
    const std::string_view block = cpuinfo.substr(0, end);
    cpuinfo.remove_prefix(std::min(end + 2, cpuinfo.size()));
    if (!FieldOf(block, "processor")) continue;
    ++cpu.logical;
    const auto socket = FieldOf(block, "physical id");
    const auto core = FieldOf(block, "core id");
    if (socket) sockets.insert(*socket);
    if (socket && core) cores.insert({*socket, *core});
  }
  cpu.sockets = std::max<int>(1, static_cast<int>(sockets.size()));
  // Without ids (some virtual machines) every processor counts as a core.
  cpu.physical = cores.empty() ? cpu.logical : static_cast<int>(cores.size());
}

void ReadNodes(const RootFiles& files, Cpu& cpu) {
  for (const std::string& name : files.List("/sys/devices/system/node")) {
    const bool node = name.starts_with("node") && name.size() > 4 &&
                      name.find_first_not_of("0123456789", 4) == std::string::npos;
    if (!node) continue;
    const auto list = files.Text("/sys/devices/system/node/" + name + "/cpulist");
    if (list && !list->empty()) cpu.node_cpus.push_back(ParseCpuList(*list));
  }
  cpu.numa_nodes = std::max<int>(1, static_cast<int>(cpu.node_cpus.size()));
}

}  // namespace

Cpu ReadCpu(const RootFiles& files) {
  Cpu cpu;
  const std::string cpuinfo = files.Text("/proc/cpuinfo").value_or("");
  cpu.model = FieldOf(cpuinfo, "model name").value_or("unknown");
  CountCores(cpuinfo, cpu);
  const std::set<std::string> flags = FlagsOf(cpuinfo);
  for (const VectorInstruction& instruction : kVectorInstructions) {
    if (flags.contains(std::string(instruction.flag))) {
      cpu.vector_instructions.emplace_back(instruction.name);
    }
  }
  cpu.governor = files.Text("/sys/devices/system/cpu/cpu0/cpufreq/scaling_governor").value_or("");
  ReadNodes(files, cpu);
  return cpu;
}

}  // namespace stepscope
