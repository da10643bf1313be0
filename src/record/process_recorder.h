#pragma once

#include <sys/types.h>

#include <cstdint>
#include <optional>
#include <string>

#include "record/host_counters.h"
#include "record/python_process.h"
#include "record/recording_writer.h"

namespace stepscope {

// Watches one process of the job from outside and writes its file: Python stacks and counters.
// The file is made with the first thing worth writing, so that short helpers leave none.
class ProcessRecorder {
 public:
  ProcessRecorder(pid_t pid, int64_t start_ticks, std::string directory, bool is_program);

  int64_t start_ticks() const { return start_ticks_; }
  // Looks for an interpreter while none is known; a process becomes one by exec.
  void LookForPython(int64_t now);
  void SampleStacks(int64_t now);
  void SampleCounters(int64_t now);
  void SampleThreads(int64_t now);
  void Flush();
  RecordingWriter* writer() { return writer_ ? &*writer_ : nullptr; }
  const std::string& python_version() const { return version_; }

 private:
  bool Open();

  pid_t pid_;
  int64_t start_ticks_;
  std::string directory_;
  bool is_program_;
  std::optional<RecordingWriter> writer_;
  bool cannot_open_ = false;
  std::optional<PythonProcess> python_;
  std::string version_, executable_;
  bool unsupported_ = false, refused_ = false;
  int64_t looked_ = 0, sampled_ = 0;
  ProcessCounters counters_;
  std::vector<SampledThread> threads_;
};

}  // namespace stepscope
