#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <string_view>

#include "tools/doctor/doctor.h"

namespace stepscope {
namespace {

using Value = const std::string&;

// What a variable does here; `judge` gives the status and the fix.
struct Variable {
  std::string_view name;
  std::string_view meaning;
  Check (*judge)(const Machine&, Value);
};

Check Fine(const Machine&, Value) { return {}; }
Check Note(std::string fix) { return {"", CheckStatus::kNote, "", std::move(fix)}; }
Check Bad(std::string fix) { return {"", CheckStatus::kBad, "", std::move(fix)}; }

bool IsOn(Value value) { return !value.empty() && value != "0" && value != "false"; }
int NumberOf(Value value) {
  int number = 0;
  std::from_chars(value.data(), value.data() + value.size(), number);
  return number;
}

Check LaunchBlocking(const Machine&, Value value) {
  return IsOn(value) ? Bad("Every launch waits for its kernel: unset it after debugging.")
                     : Check{};
}
Check CacheDisabled(const Machine&, Value value) {
  return IsOn(value)
             ? Note("Kernels compiled from PTX are compiled again at every start: unset it.")
             : Check{};
}
Check CachePath(const Machine& machine, Value value) {
  const bool lost = machine.limits.container &&
                    (value.starts_with("/tmp") || value.starts_with("/root") || value.empty());
  return lost ? Note("The cache does not outlive the container: put it on a mounted volume.")
              : Check{};
}
Check OmpThreads(const Machine& machine, Value value) {
  const int usable = AdviseThreads(machine).usable_cpus;
  const int number = NumberOf(value);
  if (number > usable) {
    return Note(
        fmt::format("More threads than the {} cores that can be used: they take turns.", usable));
  }
  if (number == 1 && usable > 1) {
    return Note(
        fmt::format("One thread on {} cores: CPU ops run serially (torchrun sets this).", usable));
  }
  return {};
}
Check SideBySide(const Machine& machine, Value value) {
  const int usable = AdviseThreads(machine).usable_cpus;
  if (NumberOf(value) <= usable) return {};
  return Note(
      fmt::format("More threads than the {} cores that can be used: they take turns.", usable));
}
Check BlockTime(const Machine&, Value value) {
  return NumberOf(value) >= 200 || value == "infinite"
             ? Note(
                   "Threads spin that many ms after each region and starve others; 0 or 1 for "
                   "convolutional nets.")
             : Check{};
}
Check TfOneDnn(const Machine&, Value value) {
  return value == "0" ? Note("oneDNN kernels are off: CPU ops are slower.") : Check{};
}
Check TfGrowth(const Machine&, Value) { return {}; }
Check TfDeterministic(const Machine&, Value value) {
  return IsOn(value) ? Note("Deterministic kernels are slower.") : Check{};
}
Check NcclDisabled(const Machine& machine, Value value) {
  return IsOn(value) && machine.gpus.size() > 1
             ? Bad("GPUs exchange data through host memory although they could do so directly: "
                   "unset it.")
             : Check{};
}
Check NcclDebug(const Machine&, Value value) {
  return value == "TRACE" ? Note("TRACE slows every collective; WARN is enough.") : Check{};
}
Check PurePython(const Machine&, Value value) {
  return value == "python"
             ? Bad("Pure-Python protobuf makes traced runs many times slower: unset it.")
             : Check{};
}
Check Anomaly(const Machine&, Value value) {
  return value == "DETAIL" ? Note("Checks every collective; for debugging only.") : Check{};
}

constexpr Variable kVariables[] = {
    {"CUDA_VISIBLE_DEVICES", "chooses which GPUs the program sees", Fine},
    {"CUDA_LAUNCH_BLOCKING", "makes kernel launches synchronous", LaunchBlocking},
    {"CUDA_DEVICE_ORDER", "numbers GPUs by bus (PCI_BUS_ID) or by speed", Fine},
    {"CUDA_DEVICE_MAX_CONNECTIONS", "hardware queues for streams", Fine},
    {"CUDA_MODULE_LOADING", "loads kernels when first used (LAZY) or all at start", Fine},
    {"CUDA_CACHE_DISABLE", "switches the cache of compiled kernels off", CacheDisabled},
    {"CUDA_CACHE_PATH", "where compiled kernels are kept", CachePath},
    {"CUDA_CACHE_MAXSIZE", "bytes of compiled kernels that are kept", Fine},
    {"CUDA_FORCE_PTX_JIT", "compiles every kernel from PTX", CacheDisabled},
    {"OMP_NUM_THREADS", "threads of OpenMP, MKL, oneDNN and PyTorch CPU ops", OmpThreads},
    {"MKL_NUM_THREADS", "threads of MKL", OmpThreads},
    {"OPENBLAS_NUM_THREADS", "threads of OpenBLAS", OmpThreads},
    {"KMP_BLOCKTIME", "how long OpenMP threads spin before they sleep", BlockTime},
    {"KMP_AFFINITY", "pins OpenMP threads to cores", Fine},
    {"GOMP_CPU_AFFINITY", "pins OpenMP threads to cores", Fine},
    {"TF_NUM_INTRAOP_THREADS", "threads inside of one TensorFlow op", OmpThreads},
    {"TF_NUM_INTEROP_THREADS", "TensorFlow ops that run side by side", SideBySide},
    {"TF_ENABLE_ONEDNN_OPTS", "oneDNN kernels in TensorFlow", TfOneDnn},
    {"TF_GPU_THREAD_MODE", "own threads for launching kernels (gpu_private)", Fine},
    {"TF_GPU_THREAD_COUNT", "how many of those", Fine},
    {"TF_FORCE_GPU_ALLOW_GROWTH", "takes GPU memory as needed", TfGrowth},
    {"TF_XLA_FLAGS", "XLA in TensorFlow", Fine},
    {"XLA_FLAGS", "XLA", Fine},
    {"TF_DETERMINISTIC_OPS", "deterministic kernels", TfDeterministic},
    {"TF_CPP_MIN_LOG_LEVEL", "hides TensorFlow's messages, also those about libcupti", Fine},
    {"TF_ENABLE_AUTO_MIXED_PRECISION", "mixed precision in TensorFlow", Fine},
    {"NVIDIA_TF32_OVERRIDE", "switches TF32 off for every library when 0",
     [](const Machine&, Value value) {
       return value == "0" ? Note("Matrix products run without tensor cores in FP32.") : Check{};
     }},
    {"TORCH_CUDNN_V8_API_DISABLED", "older cuDNN interface", Fine},
    {"PYTORCH_CUDA_ALLOC_CONF", "PyTorch's GPU allocator", Fine},
    {"PYTORCH_NO_CUDA_MEMORY_CACHING", "every allocation goes to the driver",
     [](const Machine&, Value value) {
       return IsOn(value) ? Bad("cudaMalloc in every op: unset it after debugging.") : Check{};
     }},
    {"TORCH_DISTRIBUTED_DEBUG", "checks collectives", Anomaly},
    {"NCCL_P2P_DISABLE", "forbids direct GPU to GPU copies", NcclDisabled},
    {"NCCL_IB_DISABLE", "forbids InfiniBand", Fine},
    {"NCCL_SHM_DISABLE", "forbids shared memory between ranks", NcclDisabled},
    {"NCCL_DEBUG", "how much NCCL prints", NcclDebug},
    {"NCCL_SOCKET_IFNAME", "network interface of NCCL", Fine},
    {"NCCL_ALGO", "forces an algorithm for collectives", Fine},
    {"NCCL_PROTO", "forces a protocol for collectives", Fine},
    {"PROTOCOL_BUFFERS_PYTHON_IMPLEMENTATION", "chooses Python's protobuf", PurePython},
    {"JAX_PLATFORMS", "where JAX runs", Fine},
    {"XLA_PYTHON_CLIENT_PREALLOCATE", "JAX takes most GPU memory at start", Fine},
    {"XLA_PYTHON_CLIENT_MEM_FRACTION", "share of GPU memory that JAX takes", Fine},
    {"LD_PRELOAD", "libraries loaded into every program", Fine},
};

// Prefixes of variables that are listed although we know nothing about them. TF_ alone would match
// Terraform's, too.
constexpr std::array<std::string_view, 11> kFamilies{
    "KMP_",       "NCCL_",       "CUDA_CACHE_", "TF_XLA_", "TF_GPU_", "TF_CUDNN_",
    "TF_ENABLE_", "TF_DISABLE_", "TF_FORCE_",   "TF_NUM_", "TF_CPP_"};

// Without CUDA_CACHE_PATH the cache lies in the home directory, which a container loses.
void CheckKernelCache(const Machine& machine, std::vector<Check>& checks) {
  const bool set = machine.environment.contains("CUDA_CACHE_PATH");
  if (set || machine.gpus.empty() || !machine.limits.container) return;
  checks.push_back(
      {"environment", CheckStatus::kNote,
       "CUDA_CACHE_PATH is not set: compiled kernels lie in ~/.nv of the container and "
       "are lost with it",
       "Mount a volume and set CUDA_CACHE_PATH to it."});
}

void CheckOtherPools(const Machine& machine, std::vector<Check>& checks) {
  for (const auto& [name, value] : machine.environment) {
    const bool known =
        std::ranges::any_of(kVariables, [&](const Variable& v) { return v.name == name; });
    const bool matters = std::ranges::any_of(
        kFamilies, [&](std::string_view prefix) { return name.starts_with(prefix); });
    if (matters && !known) {
      checks.push_back({"environment", CheckStatus::kFine, fmt::format("{}={}", name, value), ""});
    }
  }
}

}  // namespace

std::vector<Check> CheckEnvironment(const Machine& machine) {
  std::vector<Check> checks;
  for (const Variable& variable : kVariables) {
    const auto set = machine.environment.find(std::string(variable.name));
    if (set == machine.environment.end()) continue;
    Check check = variable.judge(machine, set->second);
    check.area = "environment";
    check.sentence = fmt::format("{}={}: {}", variable.name, set->second, variable.meaning);
    if (variable.name == "CUDA_VISIBLE_DEVICES") {
      std::vector<std::string> left;
      for (const size_t i : VisibleGpus(machine)) {
        left.push_back(fmt::format("{} ({})", machine.gpus[i].index, machine.gpus[i].name));
      }
      check.sentence +=
          left.empty() ? "; none is left" : fmt::format("; left: {}", fmt::join(left, ", "));
      if (left.empty() && !machine.gpus.empty()) check.status = CheckStatus::kBad;
    }
    checks.push_back(std::move(check));
  }
  CheckKernelCache(machine, checks);
  CheckOtherPools(machine, checks);
  return checks;
}

}  // namespace stepscope
