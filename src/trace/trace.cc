#include "trace/trace.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

namespace stepscope {

std::string DeviceIdOf(DeviceType type, int32_t index) {
  switch (type) {
    case DeviceType::kGpu:
      return fmt::format("gpu:{}", index);
    case DeviceType::kTpu:
      return fmt::format("tpu:{}", index);
    case DeviceType::kCpu:
      return fmt::format("cpu:{}", index);
    case DeviceType::kOther:
      return fmt::format("device:{}", index);
  }
  std::unreachable();
}

ArgsTable TableOf(Kind kind) {
  switch (kind) {
    case Kind::kOther:
    case Kind::kStep:
    case Kind::kAnnotation:
    case Kind::kOp:
    case Kind::kInput:
    case Kind::kDeviceAnnotation:
    case Kind::kDeviceOp:
    case Kind::kCompile:
    case Kind::kAllocation:
    case Kind::kOverhead:
      return ArgsTable::kOp;
    case Kind::kPythonFrame:
    case Kind::kModuleFrame:
      return ArgsTable::kFrame;
    case Kind::kCall:
      return ArgsTable::kCall;
    case Kind::kSync:
    case Kind::kKernel:
    case Kind::kCollective:
    case Kind::kCopy:
    case Kind::kMemset:
      return ArgsTable::kDevice;
  }
  std::unreachable();
}

TrackId Trace::TrackOf(uint32_t slice) const {
  const auto at = std::partition_point(tracks.begin(), tracks.end(),
                                       [&](const Track& t) { return t.slices.last <= slice; });
  return TrackId{static_cast<uint32_t>(at - tracks.begin())};
}

}  // namespace stepscope
