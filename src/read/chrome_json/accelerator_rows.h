#pragma once

#include <span>
#include <vector>

#include "base/task_pool.h"
#include "read/chrome_json/parsed_chunk.h"
#include "read/chrome_json/row_names.h"
#include "trace/trace.h"

namespace stepscope::chrome_json {

// Files of Intel's unitrace and of Ascend's profiler, whose names of processes and events say what
// a row is.
bool HasAcceleratorRows(std::span<const ParsedChunk> chunks, const RowNames& names);

// Gives their spans kinds, and adds the devices.
void ClassifyAcceleratorRows(std::span<ParsedChunk> chunks, const RowNames& names,
                             std::vector<Device>& devices, TaskPool& pool);

}  // namespace stepscope::chrome_json
