#pragma once

#include "base/diagnostics.h"
#include "base/task_pool.h"
#include "read/recording/recording_file.h"
#include "trace/trace.h"

namespace stepscope::recording {

// A trace of what was recorded of a process without a framework's profile: Python functions as
// spans (samples that follow each other and share their callers are one call), steps, counters.
Trace TraceOf(const RecordingFile& file, TaskPool& pool, Diagnostics& diagnostics);

// Adds to a framework's profile what was recorded around it: counters in its span, and
// Trace::recorded.
void Attach(const RecordingFile& file, Trace& trace);

}  // namespace stepscope::recording
