#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "read/run_metadata/run_metadata_proto.h"

namespace stepscope {

enum class OpTime : uint8_t {
  kSchedule,  // as recorded on the host
  kGpu,       // from the op's first kernel on
  kAll        // from the host's start to the end of the last kernel
};

struct TimelinePyOptions {
  bool dataflow = true;
  bool memory = false;
  OpTime op_time = OpTime::kSchedule;
};

// The moment at which an allocator's tensors were largest together.
struct AllocatorPeak {
  std::string_view allocator;  // of the run
  int64_t micros = 0;
  int64_t bytes = 0;
  std::vector<std::string> tensors;  // those that lived then, by name
};

// What TensorFlow's timeline.Timeline(step_stats).generate_chrome_trace_format() writes, byte by
// byte, its fake threads and colliding object ids included. `stepscope timeline` without --compat
// writes a better one. `peaks`, where wanted, gets what analyze_step_stats() calls
// allocator_maximums; it needs options.memory.
std::string TimelinePy(const RunMetadata& run, const TimelinePyOptions& options,
                       std::vector<AllocatorPeak>* peaks = nullptr);

}  // namespace stepscope
