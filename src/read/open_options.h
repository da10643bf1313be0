#pragma once

#include <functional>
#include <stop_token>
#include <string>
#include <vector>

#include "base/result.h"
#include "io/byte_source.h"

namespace stepscope {

struct OpenOptions {
  std::string run;  // which run of a logdir; the newest by default
  Progress progress;
  std::stop_token stop;  // reading ends soon after it says so, with kInterrupted
  std::vector<std::string>* graphs = nullptr;      // gets the GraphDef files among the paths
  std::vector<std::string>* executions = nullptr;  // gets PyTorch's execution traces among them
  // Asks the user whether to run a program that reading needs; nobody is asked where it is empty.
  std::function<bool(const Message& question)> ask;
};

// The error of a read that was asked to stop.
Error Interrupted(const std::string& path);

}  // namespace stepscope
