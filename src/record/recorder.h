#pragma once

#include <functional>
#include <string>
#include <utility>
#include <vector>

#include "base/result.h"

namespace stepscope {

struct RecordOptions {
  std::vector<std::string> command;
  std::string directory;                                       // exists and is empty
  std::string window;                                          // for the hook: "first=20;count=11"
  std::vector<std::pair<std::string, std::string>> variables;  // set for the program
  bool hook = true;                                            // Python's hook
  bool native = true;   // the library that CUDA and NVTX load
  bool samples = true;  // stacks and counters
  std::string output;   // a file for what the program prints; empty: it prints where we do
  // Called once, from the thread that records, when the framework's profiler begins.
  std::function<void(const Message& line)> on_window;
  int64_t limit_ns = 0;  // the program is ended after this long; 0: never
};

struct RecordedRun {
  int exit_code = 0, signal = 0;
  int shell_code = 0;
  int64_t duration_ns = 0;
  bool cut = false;         // it was ended by the limit
  std::string write_error;  // why the recording is not whole, empty: it is
};

// Runs a program and records it into the directory until it ends. An Error only when the program
// cannot be started; `exit_code` is then what a shell would return. Whatever cannot be recorded is
// noted in the recording and does not disturb the program.
Result<RecordedRun> Record(const RecordOptions& options, int& exit_code);

// The directory for a new recording: `wanted`, or the first of stepscope-run, stepscope-run-2, …
// that does not exist; in the temporary directory where this one cannot be written. `wanted` may
// exist if it is empty.
Result<std::string> MakeRunDirectory(const std::string& wanted);

}  // namespace stepscope
