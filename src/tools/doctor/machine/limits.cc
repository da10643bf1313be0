#include <sys/statvfs.h>

#include <algorithm>
#include <charconv>
#include <string>

#include "tools/doctor/machine/machine.h"

namespace stepscope {
namespace {

uint64_t KiB(const std::optional<std::string>& field) {
  uint64_t value = 0;
  if (field) std::from_chars(field->data(), field->data() + field->size(), value);
  return value << 10;
}

// The directory of this process's cgroup for a controller: "0::/path" (version 2) or
// "4:cpu,cpuacct:/path" (version 1).
std::string CgroupPath(const RootFiles& files, std::string_view controller) {
  const std::string text = files.Text("/proc/self/cgroup").value_or("");
  for (size_t at = 0; at < text.size();) {
    const size_t end = std::min(text.find('\n', at), text.size());
    const std::string_view line = std::string_view(text).substr(at, end - at);
    at = end + 1;
    const size_t first = line.find(':');
    const size_t second = line.find(':', first + 1);
    if (first == std::string_view::npos || second == std::string_view::npos) continue;
    const std::string_view names = line.substr(first + 1, second - first - 1);
    const bool mine = controller.empty() ? names.empty() : names.contains(controller);
    if (mine) return std::string(line.substr(second + 1));
  }
  return "/";
}

// The first of the paths that exists: inside a container the cgroup is mounted as the root.
std::optional<std::string> FirstText(const RootFiles& files, std::string_view mount,
                                     const std::string& group, std::string_view name) {
  for (const std::string& folder : {group, std::string()}) {
    const std::string path =
        std::string(mount) + (folder == "/" ? "" : folder) + "/" + std::string(name);
    if (auto text = files.Text(path)) return text;
  }
  return std::nullopt;
}

std::optional<double> QuotaV2(const RootFiles& files) {
  const auto text = FirstText(files, "/sys/fs/cgroup", CgroupPath(files, ""), "cpu.max");
  double quota = 0;
  double period = 0;
  if (!text || text->starts_with("max")) return std::nullopt;
  const char* end = text->data() + text->size();
  const auto first = std::from_chars(text->data(), end, quota);
  if (first.ec != std::errc() || first.ptr == end) return std::nullopt;
  std::from_chars(first.ptr + 1, end, period);
  return period > 0 ? std::optional(quota / period) : std::nullopt;
}

std::optional<double> QuotaV1(const RootFiles& files) {
  const auto group = CgroupPath(files, "cpu");
  const auto quota = FirstText(files, "/sys/fs/cgroup/cpu", group, "cpu.cfs_quota_us");
  const auto period = FirstText(files, "/sys/fs/cgroup/cpu", group, "cpu.cfs_period_us");
  if (!quota || !period) return std::nullopt;
  const double used = std::strtod(quota->c_str(), nullptr);
  const double of = std::strtod(period->c_str(), nullptr);
  return used > 0 && of > 0 ? std::optional(used / of) : std::nullopt;
}

std::optional<uint64_t> MemoryLimit(const RootFiles& files) {
  auto text = FirstText(files, "/sys/fs/cgroup", CgroupPath(files, ""), "memory.max");
  if (!text) {
    text = FirstText(files, "/sys/fs/cgroup/memory", CgroupPath(files, "memory"),
                     "memory.limit_in_bytes");
  }
  uint64_t bytes = 0;
  if (!text ||
      std::from_chars(text->data(), text->data() + text->size(), bytes).ec != std::errc()) {
    return std::nullopt;
  }
  // Version 1 of cgroups writes "no limit" as a number near 2^63.
  return bytes < (uint64_t{1} << 60) ? std::optional(bytes) : std::nullopt;
}

}  // namespace

Memory ReadMemory(const RootFiles& files) {
  const std::string meminfo = files.Text("/proc/meminfo").value_or("");
  return {KiB(FieldOf(meminfo, "MemTotal")), KiB(FieldOf(meminfo, "MemAvailable"))};
}

CgroupLimits ReadCgroupLimits(const RootFiles& files, int logical_cpus) {
  CgroupLimits limits;
  limits.cpus = QuotaV2(files);
  if (!limits.cpus) limits.cpus = QuotaV1(files);
  limits.memory_bytes = MemoryLimit(files);
  const auto status = files.Text("/proc/self/status");
  if (const auto allowed = FieldOf(status.value_or(""), "Cpus_allowed_list")) {
    const auto count = static_cast<int>(ParseCpuList(*allowed).size());
    if (count > 0 && count < logical_cpus) limits.cpuset = count;
  }
  limits.container = files.Exists("/.dockerenv") || files.Exists("/run/.containerenv");
  return limits;
}

KernelSettings ReadKernelSettings(const RootFiles& files) {
  KernelSettings settings;
  settings.perf_event_paranoid = files.Number("/proc/sys/kernel/perf_event_paranoid");
  settings.ptrace_scope = files.Number("/proc/sys/kernel/yama/ptrace_scope");
  uint64_t capabilities = 0;
  const std::string effective =
      FieldOf(files.Text("/proc/self/status").value_or(""), "CapEff").value_or("");
  std::from_chars(effective.data(), effective.data() + effective.size(), capabilities, 16);
  constexpr int kSysAdmin = 21;
  settings.can_use_counters = (capabilities >> kSysAdmin & 1) != 0;
  struct statvfs shm{};
  if (files.recorded()) {
    const auto bytes = files.Number("/dev/shm.bytes");
    if (bytes) settings.shm_bytes = static_cast<uint64_t>(*bytes);
  } else if (statvfs("/dev/shm", &shm) == 0) {
    settings.shm_bytes = static_cast<uint64_t>(shm.f_blocks) * shm.f_frsize;
  }
  return settings;
}

}  // namespace stepscope
