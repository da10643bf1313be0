#include "advise/machine_facts.h"

namespace stepscope {
namespace {

std::vector<std::string> Texts(const JsonValue& list) {
  std::vector<std::string> texts;
  for (const JsonValue& item : list.items()) texts.push_back(item.text());
  return texts;
}

MachineFacts::Gpu GpuFacts(const JsonValue& json) {
  MachineFacts::Gpu gpu;
  gpu.name = json["name"].text();
  gpu.compute_capability = json["compute_capability"].text();
  gpu.memory_bytes = json["memory_bytes"].AsInt();
  gpu.numa_node = json["numa_node"].is_null() ? -1 : static_cast<int>(json["numa_node"].AsInt());
  for (const JsonValue& peer : json["peers"].items())
    gpu.peers.push_back(static_cast<int>(peer.AsInt()));
  gpu.nvlink = json["nvlink"].AsBool() || json["nvlink_links"].AsInt() > 0;
  gpu.throttled = json["throttled"].AsBool();
  return gpu;
}

}  // namespace

MachineFacts ReadMachineFacts(const JsonValue& doctor) {
  MachineFacts facts;
  const JsonValue& cpu = doctor["cpu"];
  facts.logical_cores = static_cast<int>(
      cpu["usable_cores"].is_null() ? cpu["logical_cores"].AsInt() : cpu["usable_cores"].AsInt());
  facts.physical_cores = static_cast<int>(cpu["physical_cores"].AsInt());
  facts.sockets = static_cast<int>(cpu["sockets"].AsInt());
  facts.numa_nodes = static_cast<int>(cpu["numa_nodes"].AsInt());
  for (const std::string& isa : Texts(cpu["instruction_sets"])) facts.cpu_isa.insert(isa);
  facts.memory_bytes = doctor["memory"]["total_bytes"].AsInt();
  for (const JsonValue& gpu : doctor["gpus"].items()) facts.gpus.push_back(GpuFacts(gpu));
  for (const JsonValue& framework : doctor["frameworks"].items()) {
    facts.frameworks.push_back({.name = framework["name"].text(),
                                .gpu_code = Texts(framework["gpu_code"]),
                                .cpu_isa = Texts(framework["cpu_instruction_sets"]),
                                .intel_openmp = framework["intel_openmp"].AsBool(),
                                .onednn = framework["onednn"].AsBool()});
  }
  for (const auto& [name, value] : doctor["environment"].members())
    facts.environment[name] = value.text();
  const JsonValue& measured = doctor["measured"];
  if (!measured["pinned_gb_per_s"].is_null())
    facts.pinned_gb_per_s = measured["pinned_gb_per_s"].AsDouble();
  if (!measured["collective_gb_per_s"].is_null())
    facts.collective_gb_per_s = measured["collective_gb_per_s"].AsDouble();
  return facts;
}

}  // namespace stepscope
