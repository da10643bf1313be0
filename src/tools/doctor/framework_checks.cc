#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <iterator>

#include "tools/doctor/doctor.h"
#include "words/doctor.h"

namespace stepscope {
namespace {

constexpr SayFrom<kDoctorTexts> Say;

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
    return {"framework", CheckStatus::kFine, Say("doctor.has-code", what), ""};
  }
  if (CompilesPtx(built.ptx, architecture)) {
    return {"framework", CheckStatus::kNote, Say("doctor.compiled-at-start", what, architecture),
            Say("doctor.keep-cache")};
  }
  return {"framework", CheckStatus::kBad, Say("doctor.no-code", what, architecture),
          Say("doctor.install-for-gpu")};
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
                      Say("doctor.cpu-build", framework.name, machine.gpus.size()),
                      Say("doctor.install-cuda")});
    return;
  }
  if (machine.gpus.empty()) {
    checks.push_back({"framework", CheckStatus::kNote,
                      Say("doctor.no-gpu-here", framework.name, framework.cuda), ""});
    return;
  }
  if (!framework.cuda.empty() && !machine.driver.cuda.empty() &&
      Older(machine.driver.cuda, framework.cuda)) {
    checks.push_back(
        {"framework", CheckStatus::kNote,
         Say("doctor.older-driver", framework.name, framework.cuda, machine.driver.cuda),
         Say("doctor.update-driver")});
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
  Message uses = Verbatim(fmt::format("{}", fmt::join(framework.cpu_dispatch, ", ")));
  const auto add = [&](std::string_view library) {
    Message more = Say("doctor.chooses", library);
    uses = uses.empty() ? std::move(more) : Say("doctor.list", std::move(uses), std::move(more));
  };
  if (framework.onednn) add("oneDNN");
  if (framework.mkl) add("MKL");
  checks.push_back({"framework", missed ? CheckStatus::kNote : CheckStatus::kFine,
                    Say("doctor.on-cpu", framework.name, std::move(uses)),
                    missed ? Say("doctor.no-avx512") : Message()});
}

}  // namespace

std::vector<Check> CheckFrameworks(const Patient& patient) {
  std::vector<Check> checks;
  if (!patient.python.fault.empty()) {
    checks.push_back(
        {"framework", CheckStatus::kNote, patient.python.fault, Say("doctor.point-at-one")});
    return checks;
  }
  if (patient.frameworks.empty()) {
    checks.push_back(
        {"framework", CheckStatus::kNote, Say("doctor.no-framework"), Say("doctor.point-at")});
  }
  for (const InstalledFramework& framework : patient.frameworks) {
    Message text = Verbatim(fmt::format("{} {}", framework.name, framework.version));
    for (const auto& [platform, version] :
         {std::pair("CUDA", &framework.cuda), std::pair("ROCm", &framework.rocm)}) {
      if (!version->empty()) text = Say("doctor.built-for", std::move(text), platform, *version);
    }
    const BuiltFor built = BuiltForOf(framework.gpu_code);
    if (framework.gpu_code.fat_binaries > 0) {
      text = Say("doctor.architectures", std::move(text), Names(built.sass, built.ptx));
    }
    checks.push_back({"framework", CheckStatus::kFine, std::move(text), ""});
    CheckCuda(patient, framework, checks);
    CheckInstructions(patient, framework, checks);
  }
  if (!patient.protobuf.implementation.empty()) {
    const bool slow = patient.protobuf.implementation == "python";
    checks.push_back(
        {"framework", slow ? CheckStatus::kBad : CheckStatus::kFine,
         slow ? Say("doctor.protobuf-slow", patient.protobuf.version,
                    patient.protobuf.implementation)
              : Say("doctor.protobuf", patient.protobuf.version, patient.protobuf.implementation),
         !slow                     ? Message()
         : patient.protobuf.forced ? Say("doctor.unset-protobuf")
                                   : Say("doctor.upgrade-protobuf")});
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
