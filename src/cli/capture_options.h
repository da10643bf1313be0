#pragma once

#include <chrono>
#include <cstdint>
#include <string>
#include <vector>

#include "capture/capture_target.h"
#include "cli/ssh_place.h"
#include "command/options.h"
#include "command/output.h"

namespace stepscope {

// What `stepscope capture` was told.
struct CaptureOptions {
  std::vector<std::string> targets;
  OutputOptions output;
  std::chrono::milliseconds duration{2000}, every{0};
  int64_t keep = 20;
  TracerLevels levels;
  int64_t host_level = 2, device_level = 1;
  KinetoOptions kineto;
  ServingOptions serving;
  int64_t warm_up_s = 1;
  bool no_shapes = false;
  std::string directory;
  bool list = false, watch = false, open = false, no_report = false;
  std::string via;
  SshProgram program;
  bool end_with_stdin = false;
};

OptionParser CaptureParser(CaptureOptions& options);

CaptureChoices ChoicesOf(const CaptureOptions& options);

// The same capture in the words of the command line, for the program on another machine.
std::vector<std::string> CaptureWords(const CaptureOptions& options);
// The same for --list.
std::vector<std::string> ListWords(const CaptureOptions& options);

}  // namespace stepscope
