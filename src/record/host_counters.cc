#include "record/host_counters.h"

#include <fmt/format.h>

#include <cctype>
#include <sstream>
#include <utility>

#include "trace/recorded_counters.h"

namespace stepscope {
namespace {

struct CpuTicks {
  int64_t busy = 0, all = 0;
};

CpuTicks MachineCpu() {
  std::istringstream line(ReadProcFile("/proc/stat"));
  std::string name;
  line >> name;
  CpuTicks ticks;
  constexpr int kFields = 8, kIdle = 3, kWaitingForDisk = 4;
  for (int i = 0; i < kFields; ++i) {
    int64_t value = 0;
    line >> value;
    ticks.all += value;
    if (i != kIdle && i != kWaitingForDisk) ticks.busy += value;
  }
  return ticks;
}

struct Traffic {
  int64_t in = 0, out = 0;
};

// Whole disks; partitions and loop devices would count twice.
Traffic DiskBytes() {
  constexpr int64_t kSector = 512;
  Traffic bytes;
  std::istringstream text(ReadProcFile("/proc/diskstats"));
  for (std::string line; std::getline(text, line);) {
    std::istringstream fields(line);
    int64_t skip, read, written;
    std::string name;
    fields >> skip >> skip >> name >> skip >> skip >> read >> skip >> skip >> skip >> written;
    const bool partition =
        !name.starts_with("nvme") && !name.starts_with("mmc")
            ? !name.empty() && std::isdigit(static_cast<unsigned char>(name.back()))
            : name.find('p') != std::string::npos;
    if (!fields || partition || name.starts_with("loop") || name.starts_with("ram")) continue;
    bytes.in += read * kSector;
    bytes.out += written * kSector;
  }
  return bytes;
}

Traffic NetworkBytes() {
  Traffic bytes;
  std::istringstream text(ReadProcFile("/proc/net/dev"));
  for (std::string line; std::getline(text, line);) {
    const size_t colon = line.find(':');
    if (colon == std::string::npos || line.find("lo:") != std::string::npos) continue;
    std::istringstream fields(line.substr(colon + 1));
    int64_t in = 0, skip = 0, out = 0;
    fields >> in;
    for (int i = 0; i < 7; ++i) fields >> skip;
    fields >> out;
    bytes.in += in;
    bytes.out += out;
  }
  return bytes;
}

// The container's own cpu.stat: the root of its cgroup file system.
std::string CgroupCpu() {
  std::string text = ReadProcFile("/sys/fs/cgroup/cpu.stat");
  return text.empty() ? ReadProcFile("/sys/fs/cgroup/cpu/cpu.stat") : text;
}

double PerSecond(int64_t change, int64_t elapsed) {
  return elapsed > 0 ? static_cast<double>(change) * 1e9 / static_cast<double>(elapsed) : 0;
}

}  // namespace

void ProcessCounters::Sample(int64_t now, RecordingWriter& writer) {
  const std::string folder = fmt::format("/proc/{}/", pid_);
  const std::optional<ProcessTimes> times = TimesOf(folder + "stat");
  if (!times) return;
  const std::string io = ReadProcFile(folder + "io");
  const int64_t read = NumberAfter(io, "read_bytes"), written = NumberAfter(io, "write_bytes");
  const int64_t elapsed = now - before_;
  if (before_ != 0) {
    writer.Counter(now, "process CPU", "cores", PerSecond(times->cpu_ns - cpu_, elapsed) / 1e9);
    if (read >= 0 && read_ >= 0) {
      writer.Counter(now, "process disk", "read bytes/s", PerSecond(read - read_, elapsed));
      writer.Counter(now, "process disk", "written bytes/s",
                     PerSecond(written - written_, elapsed));
    }
  }
  writer.Counter(now, "process memory", "bytes", static_cast<double>(times->resident_bytes));
  writer.Counter(now, "process threads", "threads", static_cast<double>(times->threads));
  before_ = now;
  cpu_ = times->cpu_ns;
  read_ = read;
  written_ = written;
}

void ProcessCounters::SampleThreads(int64_t now, RecordingWriter& writer) {
  constexpr size_t kMostThreads = 128;
  const int64_t elapsed = now - threads_before_;
  size_t seen = 0;
  for (const pid_t thread : ThreadsOf(pid_)) {
    if (++seen > kMostThreads) break;
    const std::string folder = fmt::format("/proc/{}/task/{}/", pid_, thread);
    const std::optional<ScheduledTimes> times = ScheduledOf(folder + "schedstat");
    if (!times) continue;
    const auto [at, added] = scheduled_.emplace(thread, *times);
    if (added) continue;
    const int64_t run = times->run_ns - at->second.run_ns;
    const int64_t wait = times->wait_ns - at->second.wait_ns;
    at->second = *times;
    if (run == 0 && wait == 0) continue;
    std::string name = ReadProcFile(folder + "comm");
    while (!name.empty() && name.back() == '\n') name.pop_back();
    const std::string series = fmt::format("{} {}", name, thread);
    writer.Counter(now, counters::kThreadRunning, series, PerSecond(run, elapsed) / 1e7);
    writer.Counter(now, counters::kThreadWaiting, series, PerSecond(wait, elapsed) / 1e7);
  }
  threads_before_ = now;
}

void MachineCounters::Rate(int64_t now, RecordingWriter& writer, const std::string& name,
                           const std::string& series, int64_t value, double unit) {
  if (value < 0) return;
  const auto [at, added] = last_.emplace(name + '\n' + series, value);
  if (!added) {
    writer.Counter(now, name, series, PerSecond(value - at->second, now - before_) / unit);
  }
  at->second = value;
}

// The share of the quota's periods that ended throttled. Time throttled is a sum over cores and
// says less.
void MachineCounters::SampleThrottling(int64_t now, RecordingWriter& writer) {
  const std::string text = CgroupCpu();
  const int64_t periods = NumberAfter(text, "nr_periods");
  const int64_t throttled = NumberAfter(text, "nr_throttled");
  if (periods < 0 || throttled < 0) return;
  const auto [all, first] = last_.emplace("periods", periods);
  const auto [some, also_first] = last_.emplace("throttled", throttled);
  if (!first && !also_first && periods > all->second) {
    writer.Counter(now, counters::kContainerThrottled, counters::kContainer,
                   100.0 * static_cast<double>(throttled - some->second) /
                       static_cast<double>(periods - all->second));
  }
  all->second = periods;
  some->second = throttled;
}

void MachineCounters::Sample(int64_t now, RecordingWriter& writer) {
  constexpr double kBytes = 1, kMicrosecondsInPercent = 1e4;
  const CpuTicks cpu = MachineCpu();
  const auto [busy, first] = last_.emplace("busy", cpu.busy);
  const auto [all, also_first] = last_.emplace("all", cpu.all);
  if (!first && !also_first && cpu.all > all->second) {
    writer.Counter(now, "machine CPU", "busy %",
                   100.0 * static_cast<double>(cpu.busy - busy->second) /
                       static_cast<double>(cpu.all - all->second));
  }
  busy->second = cpu.busy;
  all->second = cpu.all;
  const Traffic disk = DiskBytes(), network = NetworkBytes();
  Rate(now, writer, "machine disks", "read bytes/s", disk.in, kBytes);
  Rate(now, writer, "machine disks", "written bytes/s", disk.out, kBytes);
  Rate(now, writer, "machine network", "received bytes/s", network.in, kBytes);
  Rate(now, writer, "machine network", "sent bytes/s", network.out, kBytes);
  SampleThrottling(now, writer);
  for (const char* what : {"cpu", "io", "memory"}) {
    const std::string text = ReadProcFile(fmt::format("/proc/pressure/{}", what));
    const size_t total = text.find("total=");
    if (total == std::string::npos) continue;
    Rate(now, writer, "pressure", fmt::format("{} %", what),
         std::strtoll(text.c_str() + total + 6, nullptr, 10), kMicrosecondsInPercent);
  }
  before_ = now;
}

}  // namespace stepscope
