#include "read/run_metadata/device_choice.h"

#include <charconv>

#include "read/xplane/planes.h"

namespace stepscope {

DeviceChoice ChooseDeviceRows(const RunMetadata& run) {
  DeviceChoice choice;
  for (const DeviceStepStats& device : run.devices) {
    const StatsDevice parsed = ParseStatsDevice(device.device);
    DeviceChoice::Counts& counts = choice.gpus_[parsed.index];
    if (parsed.rows == StatsRows::kAllStreams) counts.all_kernels += device.nodes.size();
    if (parsed.rows == StatsRows::kCopies) counts.all_copies += device.nodes.size();
    if (parsed.rows != StatsRows::kStream) continue;
    for (const NodeExecStats& row : device.nodes) {
      const bool copy = xplane::KindOfStreamEvent(row.name) == Kind::kCopy;
      ++(copy ? counts.stream_copies : counts.stream_kernels);
    }
  }
  return choice;
}

bool DeviceChoice::IsWork(const StatsDevice& device, bool copy) const {
  const auto at = gpus_.find(device.index);
  if (at == gpus_.end()) return false;
  const Counts& counts = at->second;
  const bool streams_hold_all = copy ? counts.stream_copies >= counts.all_copies
                                     : counts.stream_kernels >= counts.all_kernels;
  return (device.rows == StatsRows::kStream) == streams_hold_all;
}

std::optional<int64_t> CopiedBytes(std::string_view label) {
  constexpr std::string_view kKey = "num_bytes:";
  const size_t at = label.find(kKey);
  if (at == std::string_view::npos) return xplane::BytesOfTransfer(label);
  std::string_view digits = label.substr(at + kKey.size());
  while (digits.starts_with(' ')) digits.remove_prefix(1);
  int64_t bytes = 0;
  const auto parsed = std::from_chars(digits.data(), digits.data() + digits.size(), bytes);
  if (parsed.ec != std::errc() || bytes < 0) return std::nullopt;
  return bytes;
}

}  // namespace stepscope
