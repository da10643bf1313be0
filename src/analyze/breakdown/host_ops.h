#pragma once

#include "trace/trace.h"

namespace stepscope {

// A thread of an input pipeline's own pool (tf.data runs user functions there): its ops are input,
// not the step's work.
bool IsInputThread(const Trace& trace, const Track& track);

// Whether the profile says which host spans are ops. Then only those are work: other spans are the
// runtime around and beside them, or the profiler's own.
bool RecordsHostOps(const Trace& trace);

}  // namespace stepscope
