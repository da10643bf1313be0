#include "base/memory_limit.h"

#include <sys/resource.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cctype>
#include <charconv>
#include <fstream>
#include <limits>
#include <string>

namespace stepscope {
namespace {

// The shadow memory of a sanitizer counts as data, terabytes of it.
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
constexpr bool kCanLimit = false;
#elif defined(__has_feature)
#if __has_feature(address_sanitizer) || __has_feature(thread_sanitizer)
constexpr bool kCanLimit = false;
#else
constexpr bool kCanLimit = true;
#endif
#else
constexpr bool kCanLimit = true;
#endif

constexpr uint64_t kNone = std::numeric_limits<uint64_t>::max();
std::atomic<uint64_t> limit = 0;

// "max" and files that are not there: no limit.
uint64_t LimitIn(const std::string& path) {
  std::ifstream file(path);
  uint64_t bytes = 0;
  return file >> bytes ? bytes : kNone;
}

uint64_t MachineMemory(const std::string& proc) {
  std::ifstream file(proc + "/meminfo");
  for (std::string word; file >> word;) {
    uint64_t kib = 0;
    if (word == "MemTotal:" && file >> kib) return kib * 1024;
  }
  return kNone;
}

// A cgroup is limited by those around it too.
uint64_t CgroupMemory(const std::string& proc, const std::string& cgroup) {
  uint64_t least =
      std::min(LimitIn(cgroup + "/memory.max"), LimitIn(cgroup + "/memory/memory.limit_in_bytes"));
  std::ifstream file(proc + "/self/cgroup");
  for (std::string line; std::getline(file, line);) {
    const size_t colon = line.find(':');
    const size_t second = line.find(':', colon + 1);
    if (colon == std::string::npos || second == std::string::npos) continue;
    const bool unified = second == colon + 1;
    const bool memory = line.substr(colon + 1, second - colon - 1).find("memory") == 0;
    if (!unified && !memory) continue;
    const std::string root = unified ? cgroup : cgroup + "/memory";
    const char* name = unified ? "/memory.max" : "/memory.limit_in_bytes";
    for (std::string path = line.substr(second + 1); path.size() > 1;
         path.resize(std::min(path.rfind('/'), path.size()))) {
      least = std::min(least, LimitIn(root + path + name));
      if (path.rfind('/') == std::string::npos) break;
    }
  }
  return least;
}

}  // namespace

uint64_t AllowedMemory(const std::string& proc, const std::string& cgroup) {
  const uint64_t all = std::min(MachineMemory(proc), CgroupMemory(proc, cgroup));
  if (all == kNone) return kNone;
  const uint64_t reserve = std::max<uint64_t>(all / 20, uint64_t{128} << 20);
  return all > 2 * reserve ? all - reserve : all;
}

void LimitMemory(uint64_t bytes) {
  rlimit now{};
  if (!kCanLimit || bytes == 0 || bytes == kNone || getrlimit(RLIMIT_DATA, &now) != 0) return;
  // What the shell allows stays; a limit of ours may be raised.
  static const rlim_t given = now.rlim_cur;
  if (given != RLIM_INFINITY) bytes = std::min<uint64_t>(bytes, given);
  now.rlim_cur = bytes;
  if (setrlimit(RLIMIT_DATA, &now) == 0) limit = bytes;
}

uint64_t MemoryLimit() { return limit; }

uint64_t MemoryInUse() {
  std::ifstream file("/proc/self/status");
  for (std::string word; file >> word;) {
    uint64_t kib = 0;
    if (word == "VmData:" && file >> kib) return kib * 1024;
  }
  return 0;
}

bool FitsIntoMemory(uint64_t bytes) {
  const uint64_t most = limit;
  if (most == 0) return true;
  const uint64_t used = MemoryInUse();
  return used < most && bytes <= most - used;
}

std::optional<uint64_t> ParseMemorySize(std::string_view text) {
  double number = 0;
  const char* const end = text.data() + text.size();
  const auto [rest, error] = std::from_chars(text.data(), end, number);
  if (error != std::errc() || !(number > 0)) return std::nullopt;
  std::string unit(rest, end);
  for (char& c : unit) c = static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
  for (const std::string_view tail : {"ib", "b"}) {
    if (unit.ends_with(tail)) {
      unit.resize(unit.size() - tail.size());
      break;
    }
  }
  constexpr std::string_view kUnits = "kmgt";
  const size_t power = unit.empty() ? 0 : kUnits.find(unit) + 1;
  if (!unit.empty() && (unit.size() != 1 || power == 0)) return std::nullopt;
  for (size_t i = 0; i < power; ++i) number *= 1024;
  if (number < 1 || number >= 9e18) return std::nullopt;
  return static_cast<uint64_t>(number);
}

}  // namespace stepscope
