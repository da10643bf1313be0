#pragma once

#include <optional>
#include <vector>

#include "base/intervals.h"
#include "link/device_work.h"
#include "link/steps.h"
#include "trace/trace.h"

namespace stepscope {

// The stretches of time that breakdown, idle and verdict are about: the steps or, in a profile
// without steps, one window from the first to the last device work (or over the whole profile, when
// there is no device work). By start, never overlapping.
std::vector<Interval> WindowsOf(const Trace& trace, const DeviceWork& work, const Steps& steps);

// The middle one by duration of the windows that count (lower middle), kNoRow when there is none.
uint32_t MedianWindow(const std::vector<Interval>& windows, const Steps& steps);

// The host's row in Trace::devices (cpu:0) when the program used no accelerator: one whose launches
// are recorded but not its device work is no program of the host.
std::optional<int32_t> HostDevice(const Trace& trace, const DeviceWork& work);

// The steps that the TensorBoard plugin shows: all but trailing ones without device work, and but
// the last when it launched under 80 % of what the one before did. Steps [0, result) are kept.
size_t StepsKeptByPlugin(const Steps& steps);

}  // namespace stepscope
