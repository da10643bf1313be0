#include "advise/machine_facts.h"

#include <algorithm>
#include <cmath>

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
  gpu.numa_node = json["numa_node"].is_null() ? -1 : static_cast<int>(json["numa_node"].AsInt());
  return gpu;
}

MachineFacts::FrameworkBuild BuildFacts(const JsonValue& json) {
  MachineFacts::FrameworkBuild build;
  build.name = json["name"].text();
  build.gpu_code = Texts(json["sass"]);
  // Where the libraries could not be looked into: what the package says of itself.
  if (build.gpu_code.empty()) build.gpu_code = Texts(json["stated_architectures"]);
  build.cpu_isa = Texts(json["cpu_dispatch"]);
  build.mkl = json["mkl"].AsBool();
  build.onednn = json["onednn"].AsBool();
  return build;
}

// Doctor lists variables as checks: "NAME=value", or "NAME=value: what it does".
void TakeVariable(const JsonValue& check, std::map<std::string, std::string>& environment) {
  if (check["area"].text() != "environment") return;
  const std::string& sentence = check["sentence"].text();
  const size_t equals = sentence.find('=');
  if (equals == std::string::npos || sentence.find(' ') < equals) return;
  const size_t end = std::min(sentence.find(": ", equals), sentence.size());
  environment[sentence.substr(0, equals)] = sentence.substr(equals + 1, end - equals - 1);
}

}  // namespace

MachineFacts ReadMachineFacts(const JsonValue& doctor) {
  MachineFacts facts;
  const JsonValue& cpu = doctor["cpu"];
  facts.physical_cores = static_cast<int>(doctor["threads"]["usable_cpus"].AsInt());
  facts.logical_cores = static_cast<int>(cpu["logical_cpus"].AsInt());
  if (!cpu["cpu_quota"].is_null()) {
    facts.logical_cores =
        std::min(facts.logical_cores, static_cast<int>(std::ceil(cpu["cpu_quota"].AsDouble())));
  }
  // A CPU set counts in usable cores; two threads a core at most.
  if (!cpu["cpu_set"].is_null()) {
    facts.logical_cores = std::min(facts.logical_cores, 2 * facts.physical_cores);
  }
  facts.sockets = static_cast<int>(cpu["sockets"].AsInt());
  facts.numa_nodes = static_cast<int>(cpu["numa_nodes"].AsInt());
  for (const std::string& isa : Texts(cpu["vector_instructions"])) facts.cpu_isa.insert(isa);
  const JsonValue& memory = doctor["memory"];
  facts.memory_bytes = memory["total_bytes"].AsInt();
  if (!memory["limit_bytes"].is_null()) {
    facts.memory_bytes = std::min(facts.memory_bytes, memory["limit_bytes"].AsInt());
  }
  for (const JsonValue& gpu : doctor["gpus"].items()) facts.gpus.push_back(GpuFacts(gpu));
  for (const JsonValue& framework : doctor["frameworks"].items()) {
    facts.frameworks.push_back(BuildFacts(framework));
  }
  for (const JsonValue& check : doctor["checks"].items()) TakeVariable(check, facts.environment);
  return facts;
}

}  // namespace stepscope
