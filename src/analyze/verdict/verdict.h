#pragma once

#include <cstdint>
#include <string_view>

#include "analyze/breakdown/breakdown.h"
#include "base/ids.h"
#include "base/time.h"

namespace stepscope {

enum class BoundBy : uint8_t {
  kInput,
  kLaunch,
  kSync,
  kHost,
  kCompute,
  kCommunication,
  kCopy,
  kCompile,
  kMixed,
  kUnknown
};
std::string_view NameOf(BoundBy bound);
struct Verdict {
  BoundBy bound_by = BoundBy::kUnknown;
  double share = 0;        // of the median step
  uint32_t step = kNoRow;  // the median used step it was judged on
  int32_t device = -1;
};

// A verdict needs this share of the step, or this lead over the next: below both it is kMixed.
// Calibrated on the profiles at hand (docs/report.md).
inline constexpr double kClearShare = 0.40;
inline constexpr double kClearLead = 0.10;

// Where the time of one window on one device goes, in the words of the verdict. Adds up to the
// window.
struct Shares {
  DurationNs input, launch, sync, host, compute, communication, copy, compile, unknown;
};

// Idle causes joined with exposed device time; host time in short gaps (`feeding`) is launching.
Shares SharesOf(const DeviceStep& step, DurationNs feeding);

// The largest share, or kMixed. kUnknown when most of the time is.
Verdict Judge(const Shares& shares, DurationNs duration);

}  // namespace stepscope
