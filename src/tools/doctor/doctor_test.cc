#include "tools/doctor/doctor.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "base/testing/data.h"
#include "tools/doctor/log_explanations.h"

namespace stepscope {
namespace {

// Recorded machines: tests/machines/NAME.
Patient PatientOf(const std::string& name) {
  const RootFiles files(SourceFile("tests/machines/" + name));
  Patient patient;
  patient.machine = ReadMachine(files);
  const auto& environment = patient.machine.environment;
  const auto variable = [&](const char* key) {
    const auto at = environment.find(key);
    return at == environment.end() ? std::string() : at->second;
  };
  patient.python = FindPython(files, "", variable("PATH"));
  patient.frameworks = FindFrameworks(files, patient.python);
  patient.protobuf =
      FindProtobuf(files, patient.python, variable("PROTOCOL_BUFFERS_PYTHON_IMPLEMENTATION"));
  patient.machine.libraries =
      FindCudaLibraries(files, NvidiaLibraryDirectories(files, patient.python), environment);
  return patient;
}

// The check whose sentence holds this text.
const Check* Find(const std::vector<Check>& checks, std::string_view text) {
  const auto at = std::ranges::find_if(
      checks, [&](const Check& check) { return InEnglish(check.sentence).contains(text); });
  return at == checks.end() ? nullptr : &*at;
}
CheckStatus StatusOf(const std::vector<Check>& checks, std::string_view text) {
  const Check* check = Find(checks, text);
  EXPECT_NE(check, nullptr) << text;
  return check == nullptr ? CheckStatus::kFine : check->status;
}

TEST(Doctor, TwoSockets) {
  const Patient patient = PatientOf("two_sockets");
  const Cpu& cpu = patient.machine.cpu;
  EXPECT_EQ(cpu.model, "Intel(R) Xeon(R) Gold 6230 CPU @ 2.10GHz");
  EXPECT_EQ(cpu.logical, 80);
  EXPECT_EQ(cpu.physical, 40);
  EXPECT_EQ(cpu.sockets, 2);
  EXPECT_EQ(cpu.numa_nodes, 2);
  EXPECT_EQ(cpu.node_cpus[1].size(), 40u);
  EXPECT_TRUE(cpu.has("AVX-512-VNNI"));
  EXPECT_FALSE(cpu.has("AMX-TILE"));
  EXPECT_FALSE(patient.machine.limits.cpus);
  EXPECT_FALSE(patient.machine.limits.memory_bytes);
  const ThreadAdvice advice = AdviseThreads(patient.machine);
  EXPECT_EQ(advice.intra_op, 40);
  EXPECT_EQ(advice.inter_op, 2);
  EXPECT_EQ(advice.omp_threads, 20);
  const auto checks = Examine(patient);
  EXPECT_EQ(StatusOf(checks, "governor: powersave"), CheckStatus::kNote);
  EXPECT_EQ(StatusOf(checks, "no NVIDIA GPU"), CheckStatus::kFine);
  EXPECT_EQ(StatusOf(checks, "OMP_NUM_THREADS=80"), CheckStatus::kNote);
  EXPECT_EQ(StatusOf(checks, "KMP_BLOCKTIME=200"), CheckStatus::kNote);
  EXPECT_EQ(StatusOf(checks, "TF_ENABLE_ONEDNN_OPTS=0"), CheckStatus::kNote);
  EXPECT_EQ(StatusOf(checks, "perf_event_paranoid is 3"), CheckStatus::kNote);
  EXPECT_EQ(Find(checks, "CUPTI"), nullptr);  // no driver, nothing to profile
}

TEST(Doctor, EightGpusWithNvLink) {
  const Patient patient = PatientOf("eight_gpus");
  const Machine& machine = patient.machine;
  ASSERT_EQ(machine.gpus.size(), 8u);
  EXPECT_EQ(machine.driver.version, "550.54.15");
  EXPECT_EQ(machine.gpus[7].compute_capability, "9.0");
  EXPECT_EQ(machine.gpus[7].nvlinks, 18);
  EXPECT_EQ(machine.gpus[3].numa_node, 0);
  EXPECT_EQ(machine.gpus[4].numa_node, 1);
  EXPECT_EQ(machine.links[0][7], "NV18");
  // "0,1,GPU-00000005,9,2": CUDA stops at the first entry that names no GPU.
  EXPECT_EQ(VisibleGpus(machine), (std::vector<size_t>{0, 1, 5}));
  const auto checks = Examine(patient);
  EXPECT_EQ(StatusOf(checks, "all 8 GPUs are peers over NVLink"), CheckStatus::kFine);
  EXPECT_EQ(StatusOf(checks, "GPU 4: NVIDIA H100"), CheckStatus::kFine);
  EXPECT_EQ(StatusOf(checks, "GPU 5: NVIDIA H100"), CheckStatus::kNote);  // 8 of 16 lanes
  EXPECT_EQ(StatusOf(checks, "leaves 3 of 8 GPUs"), CheckStatus::kNote);
  EXPECT_EQ(StatusOf(checks, "CUDA_LAUNCH_BLOCKING=1"), CheckStatus::kBad);
  EXPECT_EQ(StatusOf(checks, "NCCL_P2P_DISABLE=1"), CheckStatus::kBad);
  EXPECT_EQ(StatusOf(checks, "GPU counters need privileges"), CheckStatus::kBad);
  EXPECT_EQ(StatusOf(checks, "CUPTI 2024.1.1"), CheckStatus::kFine);
  EXPECT_EQ(AdviseThreads(machine).loader_workers, 14);
  EXPECT_EQ(AdviseThreads(machine).omp_threads, 14);
}

TEST(Doctor, ContainerWithACpuQuota) {
  const Patient patient = PatientOf("container_quota");
  const Machine& machine = patient.machine;
  EXPECT_DOUBLE_EQ(machine.limits.cpus.value_or(0), 3.5);
  EXPECT_EQ(machine.limits.memory_bytes, uint64_t{16} << 30);
  EXPECT_TRUE(machine.limits.container);
  EXPECT_EQ(AdviseThreads(machine).intra_op, 3);
  ASSERT_EQ(machine.gpus.size(), 1u);
  EXPECT_EQ(machine.gpus[0].name, "NVIDIA A100-SXM4-40GB");
  EXPECT_EQ(machine.driver.version, "535.183.01");
  ASSERT_EQ(patient.frameworks.size(), 2u);
  EXPECT_EQ(patient.frameworks[0].name, "PyTorch");
  EXPECT_EQ(patient.frameworks[0].version, "2.3.1+cu121");
  EXPECT_EQ(patient.frameworks[0].cuda, "12.1");
  EXPECT_EQ(patient.frameworks[0].rocm, "");
  EXPECT_EQ(patient.frameworks[1].version, "2.16.1");
  EXPECT_EQ(patient.frameworks[1].cuda, "12.3");
  EXPECT_EQ(patient.frameworks[1].stated_architectures.size(), 5u);
  EXPECT_EQ(patient.protobuf.version, "4.25.3");
  EXPECT_EQ(patient.protobuf.implementation, "python");
  const auto checks = Examine(patient);
  EXPECT_EQ(StatusOf(checks, "may use 3.5 CPUs of 128"), CheckStatus::kNote);
  EXPECT_EQ(StatusOf(checks, "/dev/shm has 0.1 GiB"), CheckStatus::kNote);
  EXPECT_EQ(StatusOf(checks, "pure Python"), CheckStatus::kBad);
  EXPECT_EQ(StatusOf(checks, "CUDA_CACHE_PATH=/root/.nv"), CheckStatus::kNote);
  EXPECT_EQ(StatusOf(checks, "CUPTI 12"), CheckStatus::kFine);
  EXPECT_EQ(StatusOf(checks, "GPU counters are open"), CheckStatus::kFine);
  EXPECT_EQ(StatusOf(checks, "OMP_NUM_THREADS=1"), CheckStatus::kNote);
}

TEST(Doctor, NoGpuAndOldCpu) {
  const Patient patient = PatientOf("no_gpu");
  EXPECT_EQ(patient.machine.cpu.physical, 4);
  EXPECT_EQ(patient.machine.limits.cpuset, 2);
  EXPECT_FALSE(patient.machine.limits.cpus);
  EXPECT_FALSE(patient.machine.limits.memory_bytes);
  EXPECT_EQ(AdviseThreads(patient.machine).intra_op, 2);
  const auto checks = Examine(patient);
  EXPECT_EQ(StatusOf(checks, "vector instructions: SSE4.2 AVX"), CheckStatus::kNote);
  EXPECT_EQ(StatusOf(checks, "0.9 GiB available"), CheckStatus::kNote);
}

TEST(Doctor, SaysWhatMissingCodeMeans) {
  Patient patient = PatientOf("eight_gpus");
  patient.python.fault = {};
  InstalledFramework framework;
  framework.name = "PyTorch";
  framework.cuda = "12.1";
  framework.gpu_code.fat_binaries = 10;
  framework.gpu_code.sass = {{80, 10}, {86, 10}};
  framework.gpu_code.ptx = {{80, 9}};
  patient.frameworks = {framework};
  EXPECT_EQ(StatusOf(CheckFrameworks(patient), "no code for sm_90: kernels are compiled"),
            CheckStatus::kNote);
  patient.frameworks[0].gpu_code.ptx.clear();
  EXPECT_EQ(StatusOf(CheckFrameworks(patient), "no kernel image"), CheckStatus::kBad);
  patient.frameworks[0].gpu_code.sass[90] = 10;
  EXPECT_EQ(StatusOf(CheckFrameworks(patient), "has code for this GPU"), CheckStatus::kFine);
  patient.frameworks[0].cuda = "13.0";
  EXPECT_EQ(StatusOf(CheckFrameworks(patient), "built for CUDA 13.0, the driver runs 12.4"),
            CheckStatus::kNote);
}

TEST(Doctor, JaxHasItsGpuCodeInAPlugin) {
  Patient patient = PatientOf("eight_gpus");
  patient.python.fault = {};
  patient.frameworks = {InstalledFramework{.name = "JAX"}};
  EXPECT_EQ(StatusOf(CheckFrameworks(patient), "JAX is a CPU build"), CheckStatus::kBad);
  patient.frameworks.push_back(InstalledFramework{.name = "JAX CUDA plugin"});
  EXPECT_EQ(Find(CheckFrameworks(patient), "JAX is a CPU build"), nullptr);
}

TEST(ExplainLog, KnowsTheLinesThatMatter) {
  const auto found = ExplainLog(
      "step 1\n"
      "W tensorflow/.../dso_loader.cc:64] Could not load dynamic library 'libcupti.so.11.0'; "
      "dlerror: libcupti.so.11.0: cannot open shared object file\n"
      "E cupti_tracer.cc] function cuptiSubscribe failed with error "
      "CUPTI_ERROR_INSUFFICIENT_PRIVILEGES\n"
      "E cupti_tracer.cc] again CUPTI_ERROR_INSUFFICIENT_PRIVILEGES\n"
      "I cpu_feature_guard.cc:142] Your CPU supports instructions that this TensorFlow binary was "
      "not compiled to use: AVX2 FMA\n"
      "UserWarning: This DataLoader will create 16 worker processes in total. Our suggested max "
      "number of worker in current system is 2\n");
  ASSERT_EQ(found.size(), 4u);
  EXPECT_EQ(found[0].first_line, 2u);
  EXPECT_EQ(found[0].status, CheckStatus::kBad);
  EXPECT_TRUE(InEnglish(found[0].fix).contains("libcupti-dev"));
  EXPECT_EQ(found[1].times, 2u);
  EXPECT_TRUE(InEnglish(found[1].fix).contains("NVreg_RestrictProfilingToAdminUsers=0"));
  EXPECT_TRUE(InEnglish(found[2].means).contains("AVX2 FMA"));
  EXPECT_EQ(found[3].first_line, 6u);
  EXPECT_TRUE(ExplainLog("all is well\n").empty());
}

TEST(DoctorLog, LinesOfOldAndNewTensorFlow) {
  const std::vector<LogExplanation> found = ExplainLog(
      "I tensorflow/stream_executor/dso_loader.cc:126] Couldn't open CUDA library libcupti.so.8.0. "
      "LD_LIBRARY_PATH: /usr/local/cuda/lib64\n"
      "E tensorflow/core/profiler: CUPTI could not be loaded or symbol could not be found.\n"
      "W tensorflow: GPU trace was not collected.\n"
      "W tensorflow/core/platform/cpu_feature_guard.cc:45] The TensorFlow library wasn't compiled "
      "to "
      "use SSE4.1 instructions\n");
  ASSERT_EQ(found.size(), 4);
  for (const LogExplanation& line : std::span(found).first(3)) {
    EXPECT_EQ(line.status, CheckStatus::kBad) << line.line;
    EXPECT_TRUE(InEnglish(line.fix).contains("libcupti-dev")) << line.line;
  }
  EXPECT_EQ(found[3].status, CheckStatus::kNote);
}

}  // namespace
}  // namespace stepscope
