#pragma once

#include <string>
#include <vector>

namespace stepscope {

// A TCP port that a process of this machine listens on.
struct PortListener {
  int port = 0;
  int pid = 0;
};

// Of the processes whose open files we may see: our own, or all for root. Sorted by port, then pid;
// children that inherited the port come, too.
std::vector<PortListener> ReadListeners(const std::string& proc = "/proc");

}  // namespace stepscope
