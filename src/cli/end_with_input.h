#pragma once

#include <thread>

namespace stepscope {

// While it lives, the end of standard input counts as SIGTERM. For programs that are started over
// ssh without a terminal: there a cut connection ends the input and sends no signal.
class EndWithInput {
 public:
  EndWithInput();

 private:
  std::jthread thread_;
};

}  // namespace stepscope
