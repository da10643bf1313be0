#pragma once

// Names of the counters that `stepscope record` writes and that Stepscope itself reads again. A
// counter of a GPU has the series "GPU 0", one of a thread the thread's name and number.
namespace stepscope::counters {

inline constexpr const char* kGpuInUse = "GPU in use, %";  // as nvidia-smi has it
inline constexpr const char* kGpuClock = "GPU clock, MHz";
inline constexpr const char* kGpuHighestClock = "GPU highest clock, MHz";
// 1 while the driver keeps the clock down for this reason.
inline constexpr const char* kHeldByPower = "GPU clock held down by power";
inline constexpr const char* kHeldByHeat = "GPU clock held down by heat";
inline constexpr const char* kHeldBySetting = "GPU clock held down by a setting";
inline constexpr const char* kHeldByHardware = "GPU clock held down by the hardware";

inline constexpr const char* kThreadRunning = "thread on a CPU, %";
inline constexpr const char* kThreadWaiting = "thread waiting for a CPU, %";

// Periods of the container's CPU quota that ended throttled.
inline constexpr const char* kContainerThrottled = "container CPU throttled, %";
inline constexpr const char* kContainer = "container";

}  // namespace stepscope::counters
