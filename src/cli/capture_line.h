#pragma once

#include <string>

#include "capture/capture.h"

namespace stepscope {

// One sentence for what a capture waits for: "collecting from localhost:9012, 1.4 s left".
std::string CaptureSentence(const CaptureMoment& moment);

// That sentence on standard error, drawn over again while the capture runs, and wiped at the end.
// Shows nothing where standard error is no terminal.
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
