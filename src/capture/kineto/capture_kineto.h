#pragma once

#include "base/result.h"
#include "capture/capture.h"
#include "capture/kineto/config_text.h"
#include "capture/target.h"

namespace stepscope {

// Is the daemon that PyTorch processes poll, hands each that is wanted a request, and brings their
// files into the directory. Where dynolog runs already, it is asked instead. Blocks until all files
// are here; a process that ends or does not poll is a failure of its own.
Result<Captured> CaptureFromPyTorch(const CaptureTarget& target, const KinetoOptions& options,
                                    const CaptureRequest& request);

}  // namespace stepscope
