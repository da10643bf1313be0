#pragma once

#include <stop_token>
#include <string>
#include <vector>

#include "base/result.h"
#include "capture/capture.h"
#include "cli/ssh_place.h"

namespace stepscope {

// A capture that runs on another machine.
struct RemoteCapture {
  SshPlace place;
  SshProgram program;
  std::vector<std::string> words;  // options and target, for stepscope capture there
};

// Takes the profile there and brings its files into the directory of the request. The messages of
// the program there go to standard error.
Result<Captured> CaptureRemotely(const RemoteCapture& capture, const CaptureRequest& request);

// Prints what can be captured there.
Result<void> ListRemotely(const RemoteCapture& capture);

}  // namespace stepscope
