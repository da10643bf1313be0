#pragma once

#include <cstdint>
#include <string>

#include "base/result.h"
#include "capture/capture.h"
#include "capture/target.h"

namespace stepscope {

struct ServingOptions {
  int64_t requests = 0;  // wait for so many answered requests instead of a time
  int64_t steps = 0;     // SGLang: so many steps of the scheduler instead of a time
  std::string from;      // where the server's files show up here; empty: find out
};

// Starts the profiler of a vLLM or SGLang server, waits, stops it, and brings its files into the
// directory. Whatever happens after the start, the profiler is stopped again.
Result<Captured> CaptureFromServing(const CaptureTarget& target, const ServingOptions& options,
                                    const CaptureRequest& request);

// The sum of a Prometheus counter over all its labels; 0 where there is none. For tests.
double SumOfCounter(std::string_view metrics, std::string_view name);

// The folder that a vLLM or SGLang command line or environment names for profiles; empty: none.
std::string ProfilerFolderIn(std::string_view command);

}  // namespace stepscope
