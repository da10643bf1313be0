#pragma once

#include "analyze/breakdown/device_sets.h"
#include "analyze/threads.h"
#include "trace/trace.h"

namespace stepscope {

// A thread of an input pipeline's own pool (tf.data runs user functions there): its ops are input,
// not the step's work.
bool IsInputThread(const Trace& trace, const Track& track);

// Whether the profile has the framework's runtime as spans around and beside the ops (TensorFlow's
// and JAX's own formats): then only what is called an op is work.
bool RecordsRuntimeAroundOps(const Trace& trace);

// The host as a device in such a profile: compute while any executor thread is inside
// an op. The runtime around ops, input stages and waits are not work. O(slices).
DeviceSets HostSetsOfOps(const Trace& trace);

}  // namespace stepscope
