#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "base/ids.h"
#include "base/time.h"

// What `stepscope record` saw of a process around the framework's own profile: the time of every
// step, sampled Python stacks, how the program ended. Times count from the trace's first event and
// are negative before it: the profiler's window is a part of the run.
namespace stepscope {

struct RecordedStep {
  TimeNs start;
  DurationNs duration;
  int64_t number = 0;
  bool profiled = false;  // the framework's profiler ran in it, or was started or stopped
};

// A line of Python that a sample found on a stack.
struct PythonLine {
  std::string function, file;
  int32_t line = 0;
};

// A stack is a path in a tree: a line and the stack of its caller.
struct PythonStack {
  uint32_t caller = kNoRow;  // row in Recorded::stacks
  uint32_t line = 0;         // row in Recorded::lines
};

struct PythonSample {
  TimeNs time;
  DurationNs weight;     // since the sample before: the time this one stands for
  uint64_t thread = 0;   // the system's number, else Python's
  uint32_t stack = 0;    // row in Recorded::stacks
  bool waiting = false;  // a thread other than the main one that was asleep
};

struct RunEnd {
  int32_t exit_code = 0;
  int32_t signal = 0;  // 0: the program returned
};

struct Recorded {
  bool present = false;
  std::string program;  // base names only: "python3 train.py"
  int64_t pid = 0;
  std::vector<RecordedStep> steps;  // by start
  std::string step_source;          // "optimizer", "loader", …; empty: no steps were marked
  std::vector<PythonLine> lines;
  std::vector<PythonStack> stacks;
  std::vector<PythonSample> samples;   // by time
  std::optional<RunEnd> end;           // of the job; none: the recorder was killed as well
  std::optional<DurationNs> run;       // start to end of the process
  std::optional<DurationNs> hook_cpu;  // what the hook itself spent on timing steps
  // Processes below this one that ran no steps: DataLoader workers, launchers. Their counters are
  // among this one's.
  uint64_t helpers = 0;
  std::vector<std::string> missing;  // what could not be recorded, and how to get it
};

}  // namespace stepscope
