#pragma once

#include <cstdint>
#include <limits>

namespace stepscope {

// Dense indices into the tables of one Trace. Distinct types, so that a track is never taken for a
// slice.
enum class StringId : uint32_t {};
enum class SliceId : uint32_t {};
enum class TrackId : uint32_t {};
enum class ProcessId : uint32_t {};

inline constexpr StringId kEmptyString{0};  // every StringTable holds "" first
inline constexpr SliceId kNoSlice{std::numeric_limits<uint32_t>::max()};
inline constexpr TrackId kNoTrack{std::numeric_limits<uint32_t>::max()};
inline constexpr uint32_t kNoRow = std::numeric_limits<uint32_t>::max();

template <typename Id>
constexpr uint32_t Index(Id id) {
  return static_cast<uint32_t>(id);
}

}  // namespace stepscope
