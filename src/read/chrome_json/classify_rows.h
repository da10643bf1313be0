#pragma once

#include <span>

#include "base/task_pool.h"
#include "read/chrome_json/parsed_chunk.h"
#include "trace/trace.h"

namespace stepscope::chrome_json {

// Gives spans their kinds where only the names of rows tell what they are (TensorFlow's timeline.py
// and the trace viewer files of JAX and TensorFlow 2), and brings flows and instants of device rows
// to the stream they belong to. Needs all chunks: names may stand at the end of the file. Adds the
// devices it finds.
void ClassifyRows(std::span<ParsedChunk> chunks, Format format, std::vector<Device>& devices,
                  TaskPool& pool);

}  // namespace stepscope::chrome_json
