#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <iterator>

#include "tools/doctor/doctor.h"

namespace stepscope {
namespace {

// "9.0" gives 90.
uint32_t ArchitectureOf(const Gpu& gpu) {
  uint32_t number = 0;
  for (const char c : gpu.compute_capability) {
    if (c >= '0' && c <= '9') number = number * 10 + static_cast<uint32_t>(c - '0');
  }
  return number;
}

std::string Names(const std::vector<uint32_t>& sass, const std::vector<uint32_t>& ptx) {
  std::vector<std::string> names;
  for (const uint32_t one : sass) names.push_back(fmt::format("sm_{}", one));
  for (const uint32_t one : ptx) names.push_back(fmt::format("compute_{} (PTX)", one));
  return fmt::format("{}", fmt::join(names, " "));
}

// Machine code runs on GPUs of the same major version with at least its minor one.
bool RunsSass(const std::vector<uint32_t>& sass, uint32_t gpu) {
  return std::ranges::any_of(sass,
                             [&](uint32_t one) { return one / 10 == gpu / 10 && one <= gpu; });
}
bool CompilesPtx(const std::vector<uint32_t>& ptx, uint32_t gpu) {
  return std::ranges::any_of(ptx, [&](uint32_t one) { return one <= gpu; });
}

Check CheckCode(const InstalledFramework& framework, const BuiltFor& built, const Gpu& gpu) {
  const uint32_t architecture = ArchitectureOf(gpu);
  const std::string what = fmt::format("{} on {} (sm_{})", framework.name, gpu.name, architecture);
  if (RunsSass(built.sass, architecture)) {
    return {"framework", CheckStatus::kFine, what + ": has code for this GPU", ""};
  }
  if (CompilesPtx(built.ptx, architecture)) {
    return {"framework", CheckStatus::kNote,
            fmt::format("{}: no code for sm_{}: kernels are compiled from PTX at start-up, which "
                        "takes minutes",
                        what, architecture),
            "Keep the kernel cache (CUDA_CACHE_PATH on a disk that outlives the job, "
            "CUDA_CACHE_MAXSIZE=4294967296), or install a build for this GPU."};
  }
  return {"framework", CheckStatus::kBad,
          fmt::format("{}: no code for sm_{} and no PTX for it: \"no kernel image is available\"",
                      what, architecture),
          "Install a build for this GPU (a newer version, or one for a newer CUDA)."};
}

// "12.4" < "12.8"
bool Older(std::string_view a, std::string_view b) {
  const auto part = [](std::string_view& text) {
    int number = 0;
    const auto parsed = std::from_chars(text.data(), text.data() + text.size(), number);
    text.remove_prefix(std::min(static_cast<size_t>(parsed.ptr - text.data()) + 1, text.size()));
    return number;
  };
  const int major_a = part(a);
  const int major_b = part(b);
  return major_a != major_b ? major_a < major_b : part(a) < part(b);
}

// JAX has its GPU code in a separate package.
bool HasPlugin(const Patient& patient, const InstalledFramework& framework) {
  return std::ranges::any_of(patient.frameworks, [&](const InstalledFramework& other) {
    return other.name == framework.name + " CUDA plugin";
  });
}

void CheckCuda(const Patient& patient, const InstalledFramework& framework,
               std::vector<Check>& checks) {
  const Machine& machine = patient.machine;
  const bool gpu_build = !framework.cuda.empty() || framework.gpu_code.fat_binaries > 0;
  if (!gpu_build) {
    if (machine.gpus.empty() || HasPlugin(patient, framework)) return;
    checks.push_back({"framework", CheckStatus::kBad,
                      fmt::format("{} is a CPU build, but there {} here", framework.name,
                                  machine.gpus.size() == 1 ? "is a GPU" : "are GPUs"),
                      "Install the CUDA build of the same version."});
    return;
  }
  if (machine.gpus.empty()) {
    checks.push_back({"framework", CheckStatus::kNote,
                      fmt::format("{} is built for CUDA {}, but there is no GPU here",
                                  framework.name, framework.cuda),
                      ""});
    return;
  }
  if (!framework.cuda.empty() && !machine.driver.cuda.empty() &&
      Older(machine.driver.cuda, framework.cuda)) {
    checks.push_back({"framework", CheckStatus::kNote,
                      fmt::format("{} is built for CUDA {}, the driver runs {}", framework.name,
                                  framework.cuda, machine.driver.cuda),
                      "Within one major version it runs, but PTX of the newer one does not: update "
                      "the driver."});
  }
  if (framework.gpu_code.fat_binaries == 0) return;
  const BuiltFor built = BuiltForOf(framework.gpu_code);
  std::vector<std::string> seen;
  for (const Gpu& gpu : machine.gpus) {
    if (gpu.compute_capability.empty() || std::ranges::find(seen, gpu.name) != seen.end()) continue;
    seen.push_back(gpu.name);
    checks.push_back(CheckCode(framework, built, gpu));
  }
}

void CheckInstructions(const Patient& patient, const InstalledFramework& framework,
                       std::vector<Check>& checks) {
  if (framework.cpu_dispatch.empty() && !framework.onednn && !framework.mkl) return;
  const bool wide_here = patient.machine.cpu.has("AVX-512F");
  const bool wide_built =
      std::ranges::find(framework.cpu_dispatch, "AVX-512") != framework.cpu_dispatch.end();
  const bool missed = wide_here && !wide_built && !framework.onednn;
  std::vector<std::string> uses = framework.cpu_dispatch;
  if (framework.onednn) uses.emplace_back("oneDNN (chooses by CPU)");
  if (framework.mkl) uses.emplace_back("MKL (chooses by CPU)");
  checks.push_back({"framework", missed ? CheckStatus::kNote : CheckStatus::kFine,
                    fmt::format("{} on the CPU: {}", framework.name, fmt::join(uses, ", ")),
                    missed ? "This CPU has AVX-512, the build has no kernels for it." : ""});
}

}  // namespace

std::vector<Check> CheckFrameworks(const Patient& patient) {
  std::vector<Check> checks;
  if (!patient.python.fault.empty()) {
    checks.push_back(
        {"framework", CheckStatus::kNote, patient.python.fault, "Point at one with --python."});
    return checks;
  }
  if (patient.frameworks.empty()) {
    checks.push_back({"framework", CheckStatus::kNote,
                      "no TensorFlow, PyTorch, JAX or ONNX Runtime in this Python",
                      "Point at the Python that the job uses with --python."});
  }
  for (const InstalledFramework& framework : patient.frameworks) {
    std::string text = fmt::format("{} {}", framework.name, framework.version);
    if (!framework.cuda.empty()) text += fmt::format(", built for CUDA {}", framework.cuda);
    if (!framework.rocm.empty()) text += fmt::format(", built for ROCm {}", framework.rocm);
    const BuiltFor built = BuiltForOf(framework.gpu_code);
    if (framework.gpu_code.fat_binaries > 0) text += ": " + Names(built.sass, built.ptx);
    checks.push_back({"framework", CheckStatus::kFine, text, ""});
    CheckCuda(patient, framework, checks);
    CheckInstructions(patient, framework, checks);
  }
  if (!patient.protobuf.implementation.empty()) {
    const bool slow = patient.protobuf.implementation == "python";
    checks.push_back({"framework", slow ? CheckStatus::kBad : CheckStatus::kFine,
                      fmt::format("protobuf {} in Python: {}{}", patient.protobuf.version,
                                  patient.protobuf.implementation,
                                  slow ? " (pure Python): traced runs are many times slower" : ""),
                      !slow ? ""
                      : patient.protobuf.forced
                          ? "Unset PROTOCOL_BUFFERS_PYTHON_IMPLEMENTATION."
                          : "pip install --upgrade protobuf (a wheel with upb)"});
  }
  return checks;
}

std::vector<Check> Examine(const Patient& patient) {
  std::vector<Check> checks = CheckCpu(patient.machine);
  const auto add = [&](std::vector<Check> more) {
    checks.insert(checks.end(), std::make_move_iterator(more.begin()),
                  std::make_move_iterator(more.end()));
  };
  add(CheckMemory(patient.machine));
  add(CheckGpus(patient.machine));
  add(CheckProfiling(patient.machine));
  add(CheckFrameworks(patient));
  add(CheckEnvironment(patient.machine));
  return checks;
}

}  // namespace stepscope
