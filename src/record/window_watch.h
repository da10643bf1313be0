#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "base/message.h"

namespace stepscope {

// The window of the framework's profiler, as the hook announces it when it begins.
struct RecordingWindow {
  int64_t first = 0;
  std::optional<int64_t> last;
  std::string rank, framework, version, gpu;  // empty: not known
};

// "recording steps 10 … 20 of rank 0 · PyTorch 2.11 · NVIDIA H200"
Message LineOf(const RecordingWindow& window);

// Looks into the files of hooks in a recording that grows. None until a window has begun.
std::optional<RecordingWindow> FindWindow(const std::string& directory);

}  // namespace stepscope
