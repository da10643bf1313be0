#pragma once

#include <cstdint>
#include <string>

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

// What TensorFlow's timeline.Timeline(step_stats).generate_chrome_trace_format() writes, byte by
// byte, its fake threads and colliding object ids included. `stepscope timeline` without --compat
// writes a better one.
std::string TimelinePy(const RunMetadata& run, const TimelinePyOptions& options);

}  // namespace stepscope
