#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>

namespace stepscope {

// Why a device was idle.
enum class Cause : uint8_t {
  kInput,
  kSync,
  kLaunch,
  kHostOp,
  kPython,
  kCompile,
  kCommunicationWait,
  kCopyWait,
  kProfiler,
  kBetweenSteps,
  kUnknown
};
inline constexpr size_t kCauses = 11;
std::string_view NameOf(Cause cause);  // "input", "host_op", …

}  // namespace stepscope
