#pragma once

#include <span>
#include <vector>

#include "base/task_pool.h"
#include "read/chrome_json/parsed_chunk.h"
#include "read/chrome_json/row_names.h"
#include "trace/trace.h"

namespace stepscope::chrome_json {

// The trace viewer files that JAX and TensorFlow 2 write beside the XPlane: processes are its
// planes, threads its lines, and there are no categories. Read as the XPlane reader reads them.
void ClassifyViewerRows(std::span<ParsedChunk> chunks, const RowNames& names,
                        std::vector<Device>& devices, TaskPool& pool);

}  // namespace stepscope::chrome_json
