#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "tools/doctor/doctor.h"
#include "words/doctor.h"

namespace stepscope {
namespace {

constexpr SayFrom<kDoctorTexts> Say;

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
       Say("doctor.cpu", cpu.model, cpu.physical, cpu.logical, cpu.sockets, cpu.numa_nodes), ""});
  const bool arm = cpu.has("NEON");
  const bool wide = arm || (cpu.has("AVX2") && cpu.has("FMA"));
  checks.push_back(
      {"cpu", wide ? CheckStatus::kFine : CheckStatus::kNote,
       cpu.vector_instructions.empty()
           ? Say("doctor.vector-unknown")
           : Say("doctor.vector", fmt::format("{}", fmt::join(cpu.vector_instructions, " "))),
       wide ? Message() : Say("doctor.no-avx2")});
  if (!cpu.governor.empty()) {
    const bool slow =
        cpu.governor == "powersave" || cpu.governor == "ondemand" || cpu.governor == "conservative";
    checks.push_back({"cpu", slow ? CheckStatus::kNote : CheckStatus::kFine,
                      Say("doctor.governor", cpu.governor),
                      slow ? Say("doctor.set-governor") : Message()});
  }
  if (machine.limits.cpus) {
    const bool tight = *machine.limits.cpus < cpu.logical;
    checks.push_back(
        {"cpu", tight ? CheckStatus::kNote : CheckStatus::kFine,
         Say("doctor.cpu-limit", *machine.limits.cpus, cpu.logical),
         tight ? Say("doctor.set-omp", cpu.logical, std::max(1.0, std::floor(*machine.limits.cpus)))
               : Message()});
  }
  if (machine.limits.cpuset) {
    checks.push_back({"cpu", CheckStatus::kNote,
                      Say("doctor.cpuset", *machine.limits.cpuset, cpu.logical),
                      Say("doctor.why-cpuset")});
  }
  return checks;
}

std::vector<Check> CheckMemory(const Machine& machine) {
  std::vector<Check> checks;
  const Memory& memory = machine.memory;
  const bool low = memory.total > 0 && memory.available < memory.total / 10;
  checks.push_back({"memory", low ? CheckStatus::kNote : CheckStatus::kFine,
                    Say("doctor.memory", GiB(memory.total), GiB(memory.available)),
                    low ? Say("doctor.little-memory") : Message()});
  if (machine.limits.memory_bytes && *machine.limits.memory_bytes < memory.total) {
    checks.push_back({"memory", CheckStatus::kNote,
                      Say("doctor.memory-limit", GiB(*machine.limits.memory_bytes)),
                      Say("doctor.raise-memory")});
  }
  constexpr uint64_t kEnoughShm = uint64_t{1} << 30;
  if (machine.settings.shm_bytes && *machine.settings.shm_bytes < kEnoughShm) {
    checks.push_back({"memory", CheckStatus::kNote,
                      Say("doctor.shm", GiB(*machine.settings.shm_bytes)),
                      Say("doctor.raise-shm")});
  }
  return checks;
}

std::vector<Check> CheckProfiling(const Machine& machine) {
  std::vector<Check> checks;
  const KernelSettings& settings = machine.settings;
  if (settings.perf_event_paranoid) {
    const bool open = *settings.perf_event_paranoid <= 1 || settings.can_use_counters;
    checks.push_back({"profiling", open ? CheckStatus::kFine : CheckStatus::kNote,
                      open ? Say("doctor.paranoid", *settings.perf_event_paranoid)
                           : Say("doctor.paranoid-closed", *settings.perf_event_paranoid),
                      open ? Message() : Say("doctor.set-paranoid")});
  }
  if (settings.ptrace_scope) {
    const bool open = *settings.ptrace_scope == 0 || settings.can_use_counters;
    checks.push_back({"profiling", open ? CheckStatus::kFine : CheckStatus::kNote,
                      open ? Say("doctor.ptrace", *settings.ptrace_scope)
                           : Say("doctor.ptrace-closed", *settings.ptrace_scope),
                      open ? Message() : Say("doctor.set-ptrace")});
  }
  if (machine.driver.source.empty()) return checks;
  const auto& restricted = machine.driver.profiling_restricted;
  if (restricted) {
    const bool open = !*restricted || settings.can_use_counters;
    checks.push_back({"profiling", open ? CheckStatus::kFine : CheckStatus::kBad,
                      !*restricted ? Say("doctor.counters-open")
                      : open       ? Say("doctor.counters-have")
                                   : Say("doctor.counters-need"),
                      open ? Message() : Say("doctor.open-counters")});
  }
  const auto cupti = std::ranges::find(machine.libraries, "libcupti", &FoundLibrary::name);
  const bool found = cupti != machine.libraries.end();
  checks.push_back(
      {"profiling", found ? CheckStatus::kFine : CheckStatus::kBad,
       found ? Say("doctor.cupti", cupti->version, cupti->path) : Say("doctor.no-cupti"),
       found ? Message() : Say("doctor.install-cupti")});
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
  advice.lines.push_back(Say("doctor.threads-tensorflow", advice.intra_op, advice.inter_op));
  advice.lines.push_back(
      Say("doctor.threads-pytorch", advice.omp_threads, advice.loader_workers, gpus));
  advice.lines.push_back(Say("doctor.threads-mkl", advice.omp_threads));
  if (several) {
    advice.lines.push_back(Say("doctor.threads-sockets", sockets));
  }
  return advice;
}

}  // namespace stepscope
