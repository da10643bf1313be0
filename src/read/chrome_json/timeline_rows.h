#pragma once

#include <span>
#include <vector>

#include "read/chrome_json/parsed_chunk.h"
#include "read/chrome_json/row_names.h"
#include "trace/trace.h"

namespace stepscope::chrome_json {

// TensorFlow's timeline.py: processes are named "<device> Compute" and "<device> Tensors". Ops on
// executors are host ops; of the GPU's rows, which show each kernel twice (stream:all, stream:N),
// one counts as work. Read as the RunMetadata reader reads the same run.
void ClassifyTimelineRows(std::span<ParsedChunk> chunks, const RowNames& names,
                          std::vector<Device>& devices);

}  // namespace stepscope::chrome_json
