#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "base/message.h"
#include "capture/processes/listeners.h"
#include "capture/processes/processes.h"

namespace stepscope {

// A process that uses a framework, and how to capture it or what is missing for that.
struct Capturable {
  int pid = 0;
  unsigned uid = 0;
  double age_s = 0;
  std::string command;
  std::string framework;  // "PyTorch", "JAX", "TensorFlow", "vLLM", "SGLang"
  std::string target;     // what to write after `stepscope capture`; empty: it cannot be captured
  Sentences missing;      // a sentence; empty where there is a target
  Sentences fix;          // what to do about it
};

struct CapturableList {
  std::vector<Capturable> processes;
  size_t hidden = 0;  // processes of other users, into which we may not look
};

// Pure. `profiler_ports`: those of the listeners that are profiler servers.
CapturableList ListCapturable(const std::vector<ProcessFacts>& processes,
                              const std::vector<PortListener>& listeners,
                              const std::vector<int>& profiler_ports);

// The processes of this machine. Asks the ports of JAX and TensorFlow processes whether they are
// profiler servers: at most a second.
CapturableList FindCapturable(const std::string& proc = "/proc");

}  // namespace stepscope
