#pragma once

#include <string>

#include "capture/capture.h"

namespace stepscope {

// What a capture waits for, on standard error, drawn over again while the capture runs, and wiped
// at the end. Shows nothing where standard error is no terminal.
class CaptureLine {
 public:
  CaptureLine();
  ~CaptureLine() { Finish(); }
  CaptureLine(const CaptureLine&) = delete;
  CaptureLine& operator=(const CaptureLine&) = delete;

  void Show(const CaptureMoment& moment);
  void Finish();

 private:
  const bool wanted_;
  std::string drawn_;
};

}  // namespace stepscope
