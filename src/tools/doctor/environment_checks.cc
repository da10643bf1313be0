#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <string_view>

#include "tools/doctor/doctor.h"
#include "words/doctor.h"

namespace stepscope {
namespace {

constexpr SayFrom<kDoctorTexts> Say;

using Value = const std::string&;

// What a variable does here; `judge` gives the status and the fix.
struct Variable {
  std::string_view name;
  std::string_view meaning;  // the id of a text
  Check (*judge)(const Machine&, Value);
};

Check Fine(const Machine&, Value) { return {}; }
Check Note(Message fix) { return {"", CheckStatus::kNote, "", std::move(fix)}; }
Check Bad(Message fix) { return {"", CheckStatus::kBad, "", std::move(fix)}; }

bool IsOn(Value value) { return !value.empty() && value != "0" && value != "false"; }
int NumberOf(Value value) {
  int number = 0;
  std::from_chars(value.data(), value.data() + value.size(), number);
  return number;
}

Check LaunchBlocking(const Machine&, Value value) {
  return IsOn(value) ? Bad(Say("doctor.launch-blocking")) : Check{};
}
Check CacheDisabled(const Machine&, Value value) {
  return IsOn(value) ? Note(Say("doctor.cache-disabled")) : Check{};
}
Check CachePath(const Machine& machine, Value value) {
  const bool lost = machine.limits.container &&
                    (value.starts_with("/tmp") || value.starts_with("/root") || value.empty());
  return lost ? Note(Say("doctor.cache-lost")) : Check{};
}
Check OmpThreads(const Machine& machine, Value value) {
  const int usable = AdviseThreads(machine).usable_cpus;
  const int number = NumberOf(value);
  if (number > usable) {
    return Note(Say("doctor.many-threads", usable));
  }
  if (number == 1 && usable > 1) {
    return Note(Say("doctor.one-thread", usable));
  }
  return {};
}
Check SideBySide(const Machine& machine, Value value) {
  const int usable = AdviseThreads(machine).usable_cpus;
  if (NumberOf(value) <= usable) return {};
  return Note(Say("doctor.many-threads", usable));
}
Check BlockTime(const Machine&, Value value) {
  return NumberOf(value) >= 200 || value == "infinite" ? Note(Say("doctor.blocktime")) : Check{};
}
Check TfOneDnn(const Machine&, Value value) {
  return value == "0" ? Note(Say("doctor.onednn-off")) : Check{};
}
Check TfGrowth(const Machine&, Value) { return {}; }
Check TfDeterministic(const Machine&, Value value) {
  return IsOn(value) ? Note(Say("doctor.deterministic")) : Check{};
}
Check NcclDisabled(const Machine& machine, Value value) {
  return IsOn(value) && machine.gpus.size() > 1 ? Bad(Say("doctor.nccl-disabled")) : Check{};
}
Check NcclDebug(const Machine&, Value value) {
  return value == "TRACE" ? Note(Say("doctor.nccl-trace")) : Check{};
}
Check PurePython(const Machine&, Value value) {
  return value == "python" ? Bad(Say("doctor.pure-python")) : Check{};
}
Check Anomaly(const Machine&, Value value) {
  return value == "DETAIL" ? Note(Say("doctor.detail")) : Check{};
}

constexpr Variable kVariables[] = {
    {"CUDA_VISIBLE_DEVICES", "doctor.env.cuda_visible_devices", Fine},
    {"CUDA_LAUNCH_BLOCKING", "doctor.env.cuda_launch_blocking", LaunchBlocking},
    {"CUDA_DEVICE_ORDER", "doctor.env.cuda_device_order", Fine},
    {"CUDA_DEVICE_MAX_CONNECTIONS", "doctor.env.cuda_device_max_connections", Fine},
    {"CUDA_MODULE_LOADING", "doctor.env.cuda_module_loading", Fine},
    {"CUDA_CACHE_DISABLE", "doctor.env.cuda_cache_disable", CacheDisabled},
    {"CUDA_CACHE_PATH", "doctor.env.cuda_cache_path", CachePath},
    {"CUDA_CACHE_MAXSIZE", "doctor.env.cuda_cache_maxsize", Fine},
    {"CUDA_FORCE_PTX_JIT", "doctor.env.cuda_force_ptx_jit", CacheDisabled},
    {"OMP_NUM_THREADS", "doctor.env.omp_num_threads", OmpThreads},
    {"MKL_NUM_THREADS", "doctor.env.mkl_num_threads", OmpThreads},
    {"OPENBLAS_NUM_THREADS", "doctor.env.openblas_num_threads", OmpThreads},
    {"KMP_BLOCKTIME", "doctor.env.kmp_blocktime", BlockTime},
    {"KMP_AFFINITY", "doctor.env.kmp_affinity", Fine},
    {"GOMP_CPU_AFFINITY", "doctor.env.kmp_affinity", Fine},
    {"TF_NUM_INTRAOP_THREADS", "doctor.env.tf_num_intraop_threads", OmpThreads},
    {"TF_NUM_INTEROP_THREADS", "doctor.env.tf_num_interop_threads", SideBySide},
    {"TF_ENABLE_ONEDNN_OPTS", "doctor.env.tf_enable_onednn_opts", TfOneDnn},
    {"TF_GPU_THREAD_MODE", "doctor.env.tf_gpu_thread_mode", Fine},
    {"TF_GPU_THREAD_COUNT", "doctor.env.tf_gpu_thread_count", Fine},
    {"TF_FORCE_GPU_ALLOW_GROWTH", "doctor.env.tf_force_gpu_allow_growth", TfGrowth},
    {"TF_XLA_FLAGS", "doctor.env.tf_xla_flags", Fine},
    {"XLA_FLAGS", "doctor.env.xla_flags", Fine},
    {"TF_DETERMINISTIC_OPS", "doctor.env.tf_deterministic_ops", TfDeterministic},
    {"TF_CPP_MIN_LOG_LEVEL", "doctor.env.tf_cpp_min_log_level", Fine},
    {"TF_ENABLE_AUTO_MIXED_PRECISION", "doctor.env.tf_enable_auto_mixed_precision", Fine},
    {"NVIDIA_TF32_OVERRIDE", "doctor.env.nvidia_tf32_override",
     [](const Machine&, Value value) {
       return value == "0" ? Note(Say("doctor.no-tf32")) : Check{};
     }},
    {"TORCH_CUDNN_V8_API_DISABLED", "doctor.env.torch_cudnn_v8_api_disabled", Fine},
    {"PYTORCH_CUDA_ALLOC_CONF", "doctor.env.pytorch_cuda_alloc_conf", Fine},
    {"PYTORCH_NO_CUDA_MEMORY_CACHING", "doctor.env.pytorch_no_cuda_memory_caching",
     [](const Machine&, Value value) {
       return IsOn(value) ? Bad(Say("doctor.no-caching")) : Check{};
     }},
    {"TORCH_DISTRIBUTED_DEBUG", "doctor.env.torch_distributed_debug", Anomaly},
    {"NCCL_P2P_DISABLE", "doctor.env.nccl_p2p_disable", NcclDisabled},
    {"NCCL_IB_DISABLE", "doctor.env.nccl_ib_disable", Fine},
    {"NCCL_SHM_DISABLE", "doctor.env.nccl_shm_disable", NcclDisabled},
    {"NCCL_DEBUG", "doctor.env.nccl_debug", NcclDebug},
    {"NCCL_SOCKET_IFNAME", "doctor.env.nccl_socket_ifname", Fine},
    {"NCCL_ALGO", "doctor.env.nccl_algo", Fine},
    {"NCCL_PROTO", "doctor.env.nccl_proto", Fine},
    {"PROTOCOL_BUFFERS_PYTHON_IMPLEMENTATION", "doctor.env.protocol_buffers_python_implementation",
     PurePython},
    {"JAX_PLATFORMS", "doctor.env.jax_platforms", Fine},
    {"XLA_PYTHON_CLIENT_PREALLOCATE", "doctor.env.xla_python_client_preallocate", Fine},
    {"XLA_PYTHON_CLIENT_MEM_FRACTION", "doctor.env.xla_python_client_mem_fraction", Fine},
    {"LD_PRELOAD", "doctor.env.ld_preload", Fine},
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
      {"environment", CheckStatus::kNote, Say("doctor.cache-unset"), Say("doctor.mount-cache")});
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
    Message sentence =
        Say("doctor.variable", variable.name, set->second, Message(FindText(variable.meaning), {}));
    if (variable.name == "CUDA_VISIBLE_DEVICES") {
      std::vector<std::string> left;
      for (const size_t i : VisibleGpus(machine)) {
        left.push_back(fmt::format("{} ({})", machine.gpus[i].index, machine.gpus[i].name));
      }
      sentence = left.empty() ? Say("doctor.visible-none", std::move(sentence))
                              : Say("doctor.visible-left", std::move(sentence),
                                    fmt::format("{}", fmt::join(left, ", ")));
      if (left.empty() && !machine.gpus.empty()) check.status = CheckStatus::kBad;
    }
    check.sentence = std::move(sentence);
    checks.push_back(std::move(check));
  }
  CheckKernelCache(machine, checks);
  CheckOtherPools(machine, checks);
  return checks;
}

}  // namespace stepscope
