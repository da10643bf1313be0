#include <fmt/format.h>

#include "present/json_writer.h"
#include "tools/doctor/doctor_text.h"

namespace stepscope {
namespace {

constexpr auto kLines = JsonWriter::Layout::kLines;

void Texts(JsonWriter& json, const char* key, const std::vector<std::string>& texts) {
  json.Key(key);
  json.BeginArray();
  for (const std::string& text : texts) json.Value(text);
  json.EndArray();
}

void WriteCpu(JsonWriter& json, const Machine& machine) {
  const Cpu& cpu = machine.cpu;
  json.Key("cpu");
  json.BeginObject(kLines);
  json.Field("model", cpu.model);
  json.Field("physical_cores", cpu.physical);
  json.Field("logical_cpus", cpu.logical);
  json.Field("sockets", cpu.sockets);
  json.Field("numa_nodes", cpu.numa_nodes);
  Texts(json, "vector_instructions", cpu.vector_instructions);
  json.Field("governor", cpu.governor);
  json.Field("cpu_quota", machine.limits.cpus);
  json.Field("cpu_set", machine.limits.cpuset);
  json.EndObject();
  json.Key("memory");
  json.BeginObject();
  json.Field("total_bytes", machine.memory.total);
  json.Field("available_bytes", machine.memory.available);
  json.Field("limit_bytes", machine.limits.memory_bytes);
  json.Field("shm_bytes", machine.settings.shm_bytes);
  json.EndObject();
}

void WriteGpus(JsonWriter& json, const Machine& machine) {
  json.Key("driver");
  json.BeginObject();
  json.Field("version", machine.driver.version);
  json.Field("cuda", machine.driver.cuda);
  json.Field("source", machine.driver.source);
  json.Field("profiling_restricted", machine.driver.profiling_restricted);
  json.EndObject();
  json.Objects("gpus", kLines, machine.gpus, [&](const Gpu& gpu) {
    json.Field("index", gpu.index);
    json.Field("name", gpu.name);
    json.Field("uuid", gpu.uuid);
    json.Field("bus_id", gpu.bus_id);
    json.Field("compute_capability", gpu.compute_capability);
    json.Field("memory_bytes", gpu.memory_bytes);
    json.Field("memory_used", gpu.memory_used);
    json.Field("sm_clock_mhz", gpu.sm_clock_mhz);
    json.Field("max_sm_clock_mhz", gpu.max_sm_clock_mhz);
    json.Field("memory_clock_mhz", gpu.memory_clock_mhz);
    json.Field("pcie_generation", gpu.pcie_generation);
    json.Field("max_pcie_generation", gpu.max_pcie_generation);
    json.Field("pcie_width", gpu.pcie_width);
    json.Field("max_pcie_width", gpu.max_pcie_width);
    json.Field("nvlinks", gpu.nvlinks);
    json.Field("numa_node", gpu.numa_node);
    json.Field("persistence", gpu.persistence);
    json.Field("mig", gpu.mig);
  });
  json.Key("links");
  json.BeginArray(kLines);
  for (const std::vector<std::string>& row : machine.links) {
    json.BeginArray();
    for (const std::string& link : row) json.Value(link);
    json.EndArray();
  }
  json.EndArray();
  json.Key("visible_gpus");
  json.BeginArray();
  for (const size_t i : VisibleGpus(machine)) json.Value(machine.gpus[i].index);
  json.EndArray();
}

void WriteLibraries(JsonWriter& json, const Machine& machine) {
  json.Objects("libraries", kLines, machine.libraries, [&](const FoundLibrary& library) {
    json.Field("name", library.name);
    json.Field("version", library.version);
    json.Field("path", library.path);
  });
  json.Key("settings");
  json.BeginObject();
  json.Field("perf_event_paranoid", machine.settings.perf_event_paranoid);
  json.Field("ptrace_scope", machine.settings.ptrace_scope);
  json.Field("can_use_counters", machine.settings.can_use_counters);
  json.Field("container", machine.limits.container);
  json.EndObject();
}

std::vector<std::string> Names(const char* prefix, const std::vector<uint32_t>& architectures) {
  std::vector<std::string> names;
  for (const uint32_t one : architectures) names.push_back(fmt::format("{}{}", prefix, one));
  return names;
}

void WriteFrameworks(JsonWriter& json, const Patient& patient) {
  json.Field("python", patient.python.executable);
  json.Key("frameworks");
  json.BeginArray(kLines);
  for (const InstalledFramework& framework : patient.frameworks) {
    const BuiltFor built = BuiltForOf(framework.gpu_code);
    json.BeginObject(kLines);
    json.Field("name", framework.name);
    json.Field("version", framework.version);
    json.Field("path", framework.package);
    json.Field("cuda", framework.cuda);
    json.Field("cudnn", framework.cudnn);
    json.Field("rocm", framework.rocm);
    Texts(json, "stated_architectures", framework.stated_architectures);
    Texts(json, "sass", Names("sm_", built.sass));
    Texts(json, "ptx", Names("compute_", built.ptx));
    Texts(json, "sass_of_some_kernels", Names("sm_", built.some_sass));
    Texts(json, "ptx_of_some_kernels", Names("compute_", built.some_ptx));
    json.Field("fat_binaries", framework.gpu_code.fat_binaries);
    Texts(json, "cpu_dispatch", framework.cpu_dispatch);
    json.Field("onednn", framework.onednn);
    json.Field("mkl", framework.mkl);
    Texts(json, "libraries", framework.libraries);
    json.EndObject();
  }
  json.EndArray();
  json.Key("protobuf");
  json.BeginObject();
  json.Field("version", patient.protobuf.version);
  json.Field("implementation", patient.protobuf.implementation);
  json.EndObject();
}

void WriteChecks(JsonWriter& json, const std::vector<Check>& checks) {
  json.Objects("checks", kLines, checks, [&](const Check& check) {
    json.Field("area", check.area);
    json.Field("status", check.status == CheckStatus::kFine   ? "ok"
                         : check.status == CheckStatus::kNote ? "note"
                                                              : "bad");
    json.Field("sentence", check.sentence);
    json.Field("fix", check.fix);
  });
}

}  // namespace

std::string DoctorJson(const Examination& examination, Language language) {
  const Machine& machine = examination.patient.machine;
  std::string out;
  JsonWriter json(out, language);
  json.BeginObject(kLines);
  json.Field("schema", "stepscope.doctor/1");
  json.Field("hostname", machine.hostname);
  json.Field("kernel", machine.kernel);
  WriteCpu(json, machine);
  WriteGpus(json, machine);
  WriteLibraries(json, machine);
  WriteFrameworks(json, examination.patient);
  const ThreadAdvice& threads = examination.threads;
  json.Key("threads");
  json.BeginObject();
  json.Field("usable_cpus", threads.usable_cpus);
  json.Field("intra_op", threads.intra_op);
  json.Field("inter_op", threads.inter_op);
  json.Field("omp_threads", threads.omp_threads);
  json.Field("loader_workers", threads.loader_workers);
  json.EndObject();
  WriteChecks(json, examination.checks);
  json.EndObject();
  return out + "\n";
}

}  // namespace stepscope
