#include "capture/processes/processes.h"

#include <dirent.h>
#include <fmt/format.h>
#include <pwd.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <fstream>
#include <set>

namespace stepscope {
namespace {

constexpr std::array<std::string_view, 9> kVariables{"KINETO_USE_DAEMON",
                                                     "KINETO_IPC_SOCKET_DIR",
                                                     "KINETO_ONDEMAND_TRACE_DIR",
                                                     "SLURM_JOB_ID",
                                                     "SLURM_JOB_NAME",
                                                     "TORCHELASTIC_RUN_ID",
                                                     "RANK",
                                                     "STEPSCOPE_RECORD_DIR",
                                                     "VLLM_TORCH_PROFILER_DIR"};

// A process may end between the opening and the reading of its files: read() notes that in the
// stream, where iterators over its buffer would throw.
bool ReadAll(const std::string& path, std::string& out) {
  std::ifstream file(path, std::ios::binary);
  std::array<char, 4096> part{};
  out.clear();
  while (file.read(part.data(), part.size()), file.gcount() > 0) {
    out.append(part.data(), static_cast<size_t>(file.gcount()));
  }
  return !file.bad() && file.is_open();
}

// Fields of /proc/PID/stat after the name, which may hold anything.
std::vector<std::string> StatFields(const std::string& text) {
  std::vector<std::string> fields;
  size_t at = text.rfind(')');
  if (at == std::string::npos) return fields;
  for (at += 2; at < text.size();) {
    const size_t end = std::min(text.find(' ', at), text.size());
    fields.push_back(text.substr(at, end - at));
    at = end + 1;
  }
  return fields;
}

double SecondsUp(const std::string& proc) {
  std::string text;
  double seconds = 0;
  if (ReadAll(proc + "/uptime", text)) {
    std::from_chars(text.data(), text.data() + text.size(), seconds);
  }
  return seconds;
}

double AgeFrom(const std::vector<std::string>& stat, double up) {
  constexpr size_t kStartTicks = 19;  // the 22nd field of all
  if (stat.size() <= kStartTicks) return 0;
  double ticks = 0;
  const std::string& text = stat[kStartTicks];
  std::from_chars(text.data(), text.data() + text.size(), ticks);
  return std::max(0.0, up - ticks / static_cast<double>(sysconf(_SC_CLK_TCK)));
}

std::string CommandOf(const std::string& folder) {
  std::string text;
  ReadAll(folder + "/cmdline", text);
  while (text.ends_with('\0')) text.pop_back();
  std::replace(text.begin(), text.end(), '\0', ' ');
  return text;
}

void ReadVariables(const std::string& text, ProcessFacts& facts) {
  for (size_t at = 0; at < text.size();) {
    const size_t end = std::min(text.find('\0', at), text.size());
    const std::string_view line(text.data() + at, end - at);
    const size_t equals = line.find('=');
    if (equals != std::string_view::npos && std::find(kVariables.begin(), kVariables.end(),
                                                      line.substr(0, equals)) != kVariables.end()) {
      facts.variables.emplace(line.substr(0, equals), line.substr(equals + 1));
    }
    at = end + 1;
  }
}

void ReadLibraries(const std::string& maps, ProcessFacts& facts) {
  facts.torch = maps.contains("/libtorch_cpu.so") || maps.contains("/libtorch.so");
  facts.tensorflow = maps.contains("/libtensorflow_framework") ||
                     maps.contains("/_pywrap_tensorflow") || maps.contains("/libtensorflow_cc");
  facts.jax = maps.contains("/jaxlib/");
}

std::string NamespaceOf(const std::string& folder) {
  char target[64];
  const ssize_t size = readlink((folder + "/ns/net").c_str(), target, sizeof target);
  return size > 0 ? std::string(target, static_cast<size_t>(size)) : "";
}

ProcessFacts ReadProcess(const std::string& proc, int pid, double up, const std::string& network) {
  ProcessFacts facts{.pid = pid};
  const std::string folder = fmt::format("{}/{}", proc, pid);
  std::string text;
  if (!ReadAll(folder + "/stat", text)) return facts;
  const std::vector<std::string> stat = StatFields(text);
  if (stat.size() > 1)
    std::from_chars(stat[1].data(), stat[1].data() + stat[1].size(), facts.parent);
  facts.age_s = AgeFrom(stat, up);
  struct stat owner{};
  if (::stat(folder.c_str(), &owner) == 0) facts.uid = owner.st_uid;
  facts.command = CommandOf(folder);
  if (facts.command.empty()) return facts;  // a thread of the kernel
  facts.readable = ReadAll(folder + "/environ", text);
  if (!facts.readable) return facts;
  ReadVariables(text, facts);
  if (ReadAll(folder + "/maps", text)) ReadLibraries(text, facts);
  const std::string its_network = NamespaceOf(folder);
  facts.other_network = !its_network.empty() && !network.empty() && its_network != network;
  return facts;
}

}  // namespace

std::string ProcessFacts::variable(const std::string& name) const {
  const auto found = variables.find(name);
  return found == variables.end() ? "" : found->second;
}

std::vector<ProcessFacts> ReadProcesses(const std::string& proc) {
  std::vector<ProcessFacts> processes;
  DIR* folder = opendir(proc.c_str());
  if (folder == nullptr) return processes;
  const double up = SecondsUp(proc);
  const std::string network = NamespaceOf(proc + "/self");
  while (const dirent* entry = readdir(folder)) {
    const std::string_view name = entry->d_name;
    int pid = 0;
    const auto [end, error] = std::from_chars(name.data(), name.data() + name.size(), pid);
    if (error != std::errc() || end != name.data() + name.size()) continue;
    ProcessFacts facts = ReadProcess(proc, pid, up, network);
    if (!facts.command.empty()) processes.push_back(std::move(facts));
  }
  closedir(folder);
  std::sort(processes.begin(), processes.end(),
            [](const ProcessFacts& a, const ProcessFacts& b) { return a.pid < b.pid; });
  return processes;
}

std::vector<ProcessFacts> FamilyOf(const std::vector<ProcessFacts>& processes, int pid) {
  std::set<int> family{pid};
  // A child may have a smaller number than its parent, so until nothing changes.
  for (size_t before = 0; before != family.size();) {
    before = family.size();
    for (const ProcessFacts& process : processes) {
      if (family.contains(process.parent)) family.insert(process.pid);
    }
  }
  std::vector<ProcessFacts> out;
  for (const ProcessFacts& process : processes) {
    if (family.contains(process.pid)) out.push_back(process);
  }
  return out;
}

double AgeOf(int pid, const std::string& proc) {
  std::string text;
  if (!ReadAll(fmt::format("{}/{}/stat", proc, pid), text)) return 0;
  return AgeFrom(StatFields(text), SecondsUp(proc));
}

bool IsAlive(int pid, const std::string& proc) {
  std::string text;
  if (!ReadAll(fmt::format("{}/{}/stat", proc, pid), text)) return false;
  const std::vector<std::string> stat = StatFields(text);
  return !stat.empty() && stat[0] != "Z" && stat[0] != "X";
}

std::string UserName(unsigned uid) {
  passwd entry{};
  passwd* found = nullptr;
  char buffer[4096];
  if (getpwuid_r(uid, &entry, buffer, sizeof buffer, &found) == 0 && found != nullptr) {
    return found->pw_name;
  }
  return fmt::format("{}", uid);
}

}  // namespace stepscope
