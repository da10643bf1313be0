#pragma once

#include <sys/types.h>

#include <cstdint>
#include <map>
#include <string>

#include "record/proc_files.h"
#include "record/recording_writer.h"

namespace stepscope {

// Counters of one process: CPU use, waiting for a CPU, memory, bytes read and written. Rates are
// over the time since the call before.
class ProcessCounters {
 public:
  explicit ProcessCounters(pid_t pid) : pid_(pid) {}
  void Sample(int64_t now, RecordingWriter& writer);
  // The same for each thread; dearer, so called less often.
  void SampleThreads(int64_t now, RecordingWriter& writer);

 private:
  pid_t pid_;
  int64_t before_ = 0, threads_before_ = 0;
  int64_t cpu_ = 0, read_ = -1, written_ = -1;
  std::map<pid_t, ScheduledTimes> scheduled_;
};

// Counters of the machine and of the container: CPU, throttling, pressure, disks, network.
class MachineCounters {
 public:
  void Sample(int64_t now, RecordingWriter& writer);

 private:
  // Writes the change of a counter per second, or as a share of the time in percent.
  void Rate(int64_t now, RecordingWriter& writer, const std::string& name,
            const std::string& series, int64_t value, double unit);

  void SampleThrottling(int64_t now, RecordingWriter& writer);

  int64_t before_ = 0;
  std::map<std::string, int64_t> last_;
};

}  // namespace stepscope
