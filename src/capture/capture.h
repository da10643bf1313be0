#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <stop_token>
#include <string>
#include <vector>

#include "base/result.h"

namespace stepscope {

// What a capture waits for, in the order in which it happens.
enum class CapturePhase : uint8_t {
  kConnecting,
  kOthers,      // another capture of the same process has to end first
  kPoll,        // the process has to ask whether there is something to do
  kWarmUp,      // the profiler of the process starts
  kCollecting,  // the profile is being taken
  kWriting,     // the profile comes to this machine
};

// For the line that people see while they wait.
struct CaptureMoment {
  CapturePhase phase = CapturePhase::kConnecting;
  double seconds_left = 0;  // of this phase; 0: nobody knows
  uint64_t bytes = 0;       // of kWriting: what has come so far
  Sentences what;           // "localhost:9012", "3 of 8 processes"
};
using OnCaptureMoment = std::function<void(const CaptureMoment&)>;

// What every kind of target understands.
struct CaptureRequest {
  std::chrono::milliseconds duration{2000};
  std::string directory;  // where the files go; it exists
  OnCaptureMoment on_moment = [](const CaptureMoment&) {};
  // Asked to stop: the capture ends early and keeps what there is.
  std::stop_token stop;
};

struct CapturedFile {
  std::string path;
  Sentences source;  // which process or host it came from
  uint64_t bytes = 0;
  Sentences why_empty;  // a sentence where nothing was recorded
};

// What came back. A target that failed while others gave a profile is a failure here; when nothing
// came at all, the capture returns an Error instead.
struct Captured {
  std::vector<CapturedFile> files;
  std::vector<Error> failures;
  std::vector<Sentences> remarks;  // sentences, like: what was cut
};

}  // namespace stepscope
