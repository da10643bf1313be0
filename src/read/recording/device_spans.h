#pragma once

#include <vector>

#include "read/block_writer.h"
#include "read/recording/recording_file.h"
#include "trace/trace.h"

namespace stepscope::recording {

// The row of a thread of the recorded process; Python's functions and CUDA's calls share it.
uint32_t ThreadTrack(BlockWriter& out, int64_t pid, int64_t thread);

// Adds kernels, copies, calls, waits, ranges and CUPTI's own overhead as spans.
void AddDeviceSpans(const RecordingFile& file, BlockWriter& out);

std::vector<Device> DevicesOf(const RecordingFile& file);

}  // namespace stepscope::recording
