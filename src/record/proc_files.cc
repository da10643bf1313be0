#include "record/proc_files.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <charconv>
#include <filesystem>
#include <sstream>

namespace stepscope {
namespace {

namespace fs = std::filesystem;

pid_t NumberOf(const std::string& text) {
  pid_t number = -1;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  return error == std::errc() && end == text.data() + text.size() ? number : -1;
}

// The kernel lists children per thread that made them.
std::vector<pid_t> ChildrenOf(pid_t pid) {
  std::vector<pid_t> children;
  for (const pid_t thread : ThreadsOf(pid)) {
    std::istringstream list(ReadProcFile(fmt::format("/proc/{}/task/{}/children", pid, thread)));
    for (pid_t child; list >> child;) children.push_back(child);
  }
  return children;
}

}  // namespace

std::string ReadProcFile(const std::string& path) {
  const int fd = open(path.c_str(), O_RDONLY | O_CLOEXEC);
  if (fd < 0) return {};
  std::string text;
  char buffer[4096];
  for (ssize_t got; (got = read(fd, buffer, sizeof buffer)) > 0;) {
    text.append(buffer, static_cast<size_t>(got));
  }
  close(fd);
  return text;
}

std::vector<pid_t> ProcessTree(pid_t root) {
  constexpr size_t kMost = 512;
  std::vector<pid_t> tree{root};
  for (size_t i = 0; i < tree.size() && tree.size() < kMost; ++i) {
    for (const pid_t child : ChildrenOf(tree[i])) tree.push_back(child);
  }
  return tree;
}

std::optional<ProcessTimes> TimesOf(const std::string& stat_path) {
  const std::string text = ReadProcFile(stat_path);
  // The name in brackets may hold anything; fields are counted after it.
  const size_t bracket = text.rfind(')');
  if (bracket == std::string::npos) return std::nullopt;
  std::istringstream fields(text.substr(bracket + 1));
  ProcessTimes times;
  fields >> times.state;
  static const int64_t tick_ns = 1'000'000'000 / sysconf(_SC_CLK_TCK);
  static const int64_t page = sysconf(_SC_PAGESIZE);
  constexpr int kParent = 4, kUser = 14, kSystem = 15, kThreads = 20, kStart = 22, kResident = 24;
  int64_t value = 0;
  for (int field = kParent; field <= kResident && fields >> value; ++field) {
    if (field == kParent) times.parent = value;
    if (field == kUser || field == kSystem) times.cpu_ns += value * tick_ns;
    if (field == kThreads) times.threads = value;
    if (field == kStart) times.start_ticks = value;
    if (field == kResident) times.resident_bytes = value * page;
  }
  return times;
}

std::optional<ScheduledTimes> ScheduledOf(const std::string& schedstat_path) {
  std::istringstream fields(ReadProcFile(schedstat_path));
  ScheduledTimes times;
  if (!(fields >> times.run_ns >> times.wait_ns)) return std::nullopt;
  return times;
}

std::vector<pid_t> ThreadsOf(pid_t pid) {
  std::vector<pid_t> threads;
  std::error_code error;
  for (fs::directory_iterator at(fmt::format("/proc/{}/task", pid), error);
       !error && at != fs::directory_iterator(); at.increment(error)) {
    const pid_t thread = NumberOf(at->path().filename().string());
    if (thread > 0) threads.push_back(thread);
  }
  return threads;
}

int64_t NumberAfter(const std::string& text, const std::string& key) {
  for (size_t at = text.find(key); at != std::string::npos; at = text.find(key, at + 1)) {
    if (at > 0 && text[at - 1] != '\n' && text[at - 1] != ' ') continue;
    size_t from = at + key.size();
    while (from < text.size() && (text[from] == ':' || text[from] == ' ')) ++from;
    int64_t number = -1;
    std::from_chars(text.data() + from, text.data() + text.size(), number);
    if (number >= 0) return number;
  }
  return -1;
}

std::string VariableOf(pid_t pid, const std::string& name) {
  const std::string all = ReadProcFile(fmt::format("/proc/{}/environ", pid));
  const std::string key = name + '=';
  for (size_t at = 0; at < all.size();) {
    const size_t end = std::min(all.find('\0', at), all.size());
    if (all.compare(at, key.size(), key) == 0) {
      return all.substr(at + key.size(), end - at - key.size());
    }
    at = end + 1;
  }
  return {};
}

}  // namespace stepscope
