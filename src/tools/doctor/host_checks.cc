#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "tools/doctor/doctor.h"

namespace stepscope {
namespace {

constexpr double kGiB = 1024.0 * 1024.0 * 1024.0;

std::string GiB(uint64_t bytes) {
  return fmt::format("{:.1f} GiB", static_cast<double>(bytes) / kGiB);
}

}  // namespace

std::vector<Check> CheckCpu(const Machine& machine) {
  const Cpu& cpu = machine.cpu;
  std::vector<Check> checks;
  checks.push_back(
      {"cpu", CheckStatus::kFine,
       fmt::format("{}: {} physical cores ({} logical), {} socket{}, {} NUMA node{}", cpu.model,
                   cpu.physical, cpu.logical, cpu.sockets, cpu.sockets == 1 ? "" : "s",
                   cpu.numa_nodes, cpu.numa_nodes == 1 ? "" : "s"),
       ""});
  const bool arm = cpu.has("NEON");
  const bool wide = arm || (cpu.has("AVX2") && cpu.has("FMA"));
  checks.push_back(
      {"cpu", wide ? CheckStatus::kFine : CheckStatus::kNote,
       fmt::format("vector instructions: {}",
                   cpu.vector_instructions.empty()
                       ? "none known"
                       : fmt::format("{}", fmt::join(cpu.vector_instructions, " "))),
       wide ? "" : "Frameworks run slowly without AVX2 and FMA: use another machine."});
  if (!cpu.governor.empty()) {
    const bool slow =
        cpu.governor == "powersave" || cpu.governor == "ondemand" || cpu.governor == "conservative";
    checks.push_back({"cpu", slow ? CheckStatus::kNote : CheckStatus::kFine,
                      fmt::format("frequency governor: {}", cpu.governor),
                      slow ? "cpupower frequency-set -g performance (as root)" : ""});
  }
  if (machine.limits.cpus) {
    const bool tight = *machine.limits.cpus < cpu.logical;
    checks.push_back(
        {"cpu", tight ? CheckStatus::kNote : CheckStatus::kFine,
         fmt::format("the container may use {:.2g} CPUs of {}", *machine.limits.cpus, cpu.logical),
         tight ? fmt::format("Frameworks see all {} CPUs and start too many threads: set "
                             "OMP_NUM_THREADS={:.0f}, or raise the limit (docker run --cpus).",
                             cpu.logical, std::max(1.0, std::floor(*machine.limits.cpus)))
               : ""});
  }
  if (machine.limits.cpuset) {
    checks.push_back(
        {"cpu", CheckStatus::kNote,
         fmt::format("this process may run on {} of {} CPUs", *machine.limits.cpuset, cpu.logical),
         "taskset or the container's cpuset decides that (docker run --cpuset-cpus)."});
  }
  return checks;
}

std::vector<Check> CheckMemory(const Machine& machine) {
  std::vector<Check> checks;
  const Memory& memory = machine.memory;
  const bool low = memory.total > 0 && memory.available < memory.total / 10;
  checks.push_back(
      {"memory", low ? CheckStatus::kNote : CheckStatus::kFine,
       fmt::format("{} of memory, {} available", GiB(memory.total), GiB(memory.available)),
       low ? "Little is left: the page cache cannot hold input files." : ""});
  if (machine.limits.memory_bytes && *machine.limits.memory_bytes < memory.total) {
    checks.push_back({"memory", CheckStatus::kNote,
                      fmt::format("the container may use {}", GiB(*machine.limits.memory_bytes)),
                      "Page cache counts too; docker run --memory raises it."});
  }
  constexpr uint64_t kEnoughShm = uint64_t{1} << 30;
  if (machine.settings.shm_bytes && *machine.settings.shm_bytes < kEnoughShm) {
    checks.push_back({"memory", CheckStatus::kNote,
                      fmt::format("/dev/shm has {}", GiB(*machine.settings.shm_bytes)),
                      "PyTorch loader workers pass batches through it: docker run --shm-size=8g or "
                      "--ipc=host."});
  }
  return checks;
}

std::vector<Check> CheckProfiling(const Machine& machine) {
  std::vector<Check> checks;
  const KernelSettings& settings = machine.settings;
  if (settings.perf_event_paranoid) {
    const bool open = *settings.perf_event_paranoid <= 1 || settings.can_use_counters;
    checks.push_back({"profiling", open ? CheckStatus::kFine : CheckStatus::kNote,
                      fmt::format("perf_event_paranoid is {}{}", *settings.perf_event_paranoid,
                                  open ? "" : ": CPU sampling of the whole process is not allowed"),
                      open ? "" : "sysctl kernel.perf_event_paranoid=1 (as root)"});
  }
  if (settings.ptrace_scope) {
    const bool open = *settings.ptrace_scope == 0 || settings.can_use_counters;
    checks.push_back({"profiling", open ? CheckStatus::kFine : CheckStatus::kNote,
                      fmt::format("ptrace_scope is {}{}", *settings.ptrace_scope,
                                  open ? "" : ": py-spy and gdb cannot attach to a running job"),
                      open ? ""
                           : "sysctl kernel.yama.ptrace_scope=0, or docker run "
                             "--cap-add=SYS_PTRACE"});
  }
  if (machine.driver.source.empty()) return checks;
  const auto& restricted = machine.driver.profiling_restricted;
  if (restricted) {
    const bool open = !*restricted || settings.can_use_counters;
    checks.push_back(
        {"profiling", open ? CheckStatus::kFine : CheckStatus::kBad,
         *restricted ? fmt::format("GPU counters need privileges ({})",
                                   open ? "this process has them"
                                        : "CUPTI_ERROR_INSUFFICIENT_PRIVILEGES otherwise")
                     : "GPU counters are open to everyone",
         open ? ""
              : "Put \"options nvidia NVreg_RestrictProfilingToAdminUsers=0\" into "
                "/etc/modprobe.d/nvidia-profiling.conf and reboot, or run with CAP_SYS_ADMIN."});
  }
  const auto cupti = std::ranges::find(machine.libraries, "libcupti", &FoundLibrary::name);
  const bool found = cupti != machine.libraries.end();
  checks.push_back({"profiling", found ? CheckStatus::kFine : CheckStatus::kBad,
                    found ? fmt::format("CUPTI {} ({})", cupti->version, cupti->path)
                          : "CUPTI (libcupti.so) is not found: profiles have no GPU rows",
                    found ? ""
                          : "apt-get install libcupti-dev, pip install nvidia-cuda-cupti-cu12, or "
                            "add /usr/local/cuda/extras/CUPTI/lib64 to LD_LIBRARY_PATH"});
  return checks;
}

ThreadAdvice AdviseThreads(const Machine& machine) {
  const Cpu& cpu = machine.cpu;
  ThreadAdvice advice;
  advice.usable_cpus = std::max(cpu.physical, 1);
  if (machine.limits.cpuset)
    advice.usable_cpus = std::min(advice.usable_cpus, *machine.limits.cpuset);
  if (machine.limits.cpus) {
    const int quota = std::max(1, static_cast<int>(std::floor(*machine.limits.cpus)));
    advice.usable_cpus = std::min(advice.usable_cpus, quota);
  }
  const int sockets = std::max(cpu.sockets, 1);
  const bool several = sockets > 1 && advice.usable_cpus >= 2 * sockets;
  advice.intra_op = advice.usable_cpus;
  advice.inter_op = several ? sockets : 1;
  // One process per GPU, and none across sockets.
  const size_t gpus = std::max<size_t>(machine.gpus.size(), 1);
  const int processes = std::max(several ? sockets : 1, static_cast<int>(gpus));
  advice.omp_threads = std::max(1, advice.usable_cpus / processes);
  advice.loader_workers =
      std::max(1, static_cast<int>(static_cast<size_t>(advice.usable_cpus) / gpus));
  advice.lines.push_back(
      fmt::format("TensorFlow: intra_op_parallelism_threads={}, inter_op_parallelism_threads={}",
                  advice.intra_op, advice.inter_op));
  advice.lines.push_back(
      fmt::format("PyTorch: torch.set_num_threads({}); DataLoader(num_workers={}) "
                  "for each of {} process{}",
                  advice.omp_threads, advice.loader_workers, gpus, gpus == 1 ? "" : "es"));
  advice.lines.push_back(
      fmt::format("MKL and oneDNN: OMP_NUM_THREADS={} KMP_AFFINITY=granularity=fine,compact,1,0 "
                  "KMP_BLOCKTIME=1",
                  advice.omp_threads));
  if (several) {
    advice.lines.push_back(fmt::format(
        "{} sockets: run one process per socket, numactl --cpunodebind=N --membind=N; threads "
        "that cross sockets wait for remote memory",
        sockets));
  }
  return advice;
}

}  // namespace stepscope
