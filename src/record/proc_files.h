#pragma once

#include <sys/types.h>

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace stepscope {

// What /proc says of processes. Everything here may vanish between two calls: what cannot be read
// is empty.
std::string ReadProcFile(const std::string& path);

// The process and all below it, itself first.
std::vector<pid_t> ProcessTree(pid_t root);

struct ProcessTimes {
  char state = '?';         // R running, S asleep, D waiting for a device, Z dead
  int64_t parent = 0;       // the process that started it
  int64_t cpu_ns = 0;       // user and system
  int64_t start_ticks = 0;  // since boot: tells apart processes that share a number
  int64_t resident_bytes = 0;
  int64_t threads = 0;
};
// Of /proc/PID/stat, or of a thread's /proc/PID/task/TID/stat.
std::optional<ProcessTimes> TimesOf(const std::string& stat_path);

struct ScheduledTimes {
  int64_t run_ns = 0, wait_ns = 0;  // on a CPU; ready, but without one
};
std::optional<ScheduledTimes> ScheduledOf(const std::string& schedstat_path);
std::vector<pid_t> ThreadsOf(pid_t pid);

// "read_bytes" of /proc/PID/io and the like: the number after "key:" or "key ", -1 without it.
int64_t NumberAfter(const std::string& text, const std::string& key);

// One variable of a process's environment. Asked only for names on the allow-list of recorder.cc.
std::string VariableOf(pid_t pid, const std::string& name);

}  // namespace stepscope
