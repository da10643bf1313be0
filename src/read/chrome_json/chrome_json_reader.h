#pragma once

#include "base/diagnostics.h"
#include "base/result.h"
#include "base/task_pool.h"
#include "io/byte_source.h"
#include "read/chrome_json/event_list.h"
#include "trace/trace.h"

namespace stepscope::chrome_json {

// Reads a Chrome trace of any dialect: PyTorch (Kineto) since 2021, ONNX Runtime, TensorFlow's
// timeline.py, JAX, anything else as plain spans. An Error only when the text holds no event list
// at all; everything else that is wrong is diagnosed and what came before it is delivered. The
// result does not depend on the number of threads.
//
// Time: inflating and parsing overlap; parsing 1.2 GB/s and more a core. Memory: a few chunks of
// text and the columns.
Result<Trace> ReadChromeJson(OpenedSource source, const EventListOptions& options, TaskPool& pool,
                             Diagnostics& diagnostics);

}  // namespace stepscope::chrome_json
