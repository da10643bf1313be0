#include "read/chrome_json/timeline_rows.h"

#include <algorithm>
#include <map>
#include <string_view>

#include "read/run_metadata/stats_device.h"
#include "read/xplane/planes.h"

namespace stepscope::chrome_json {
namespace {

// Kernels and copies by where the file shows them.
struct Shown {
  uint64_t all_kernels = 0;
  uint64_t all_copies = 0;
  uint64_t stream_kernels = 0;
  uint64_t stream_copies = 0;

  // Single streams count when they hold everything, as they know the stream.
  bool StreamsHold(bool copy) const {
    return copy ? stream_copies >= all_copies : stream_kernels >= all_kernels;
  }
};

StatsDevice DeviceOf(std::string_view process) {
  constexpr std::string_view kSuffix = " Compute";
  if (process.ends_with(kSuffix)) process.remove_suffix(kSuffix.size());
  return ParseStatsDevice(process);
}

// The op type of a copy says so; without an op type, the name of the node does.
Kind KindOfWork(const EventBlock& block, uint32_t row, const Deferred* deferred,
                const StatsDevice& device) {
  if (device.rows == StatsRows::kCopies) return Kind::kCopy;
  Kind kind = xplane::KindOfStreamEvent(block.strings[block.name[row]]);
  if (kind == Kind::kKernel && deferred != nullptr) {
    kind = xplane::KindOfStreamEvent(block.strings[deferred->op]);
  }
  return kind;
}

class TimelineClassifier {
 public:
  explicit TimelineClassifier(const RowNames& names) : names_(names) {}

  void Count(const ParsedChunk& chunk) {
    ForEachGpuRow(chunk, [this](const EventBlock&, uint32_t, const StatsDevice& device, Kind kind,
                                const Deferred*) {
      const bool copy = kind == Kind::kCopy;
      Shown& shown = shown_[device.index];
      if (device.rows == StatsRows::kStream) {
        ++(copy ? shown.stream_copies : shown.stream_kernels);
      } else {
        ++(copy ? shown.all_copies : shown.all_kernels);
      }
    });
  }

  void Classify(ParsedChunk& chunk) {
    EventBlock& block = chunk.block;
    const std::vector<StatsDevice> devices = DevicesOf(block);
    for (uint32_t row = 0; row < block.kind.size(); ++row) {
      if (devices[block.track[row]].rows == StatsRows::kOps) block.kind[row] = Kind::kOp;
      if (devices[block.track[row]].rows == StatsRows::kSync) block.kind[row] = Kind::kSync;
    }
    ForEachGpuRow(chunk, [&](const EventBlock&, uint32_t row, const StatsDevice& device, Kind kind,
                             const Deferred*) {
      const bool copy = kind == Kind::kCopy;
      const bool work =
          (device.rows == StatsRows::kStream) == shown_.at(device.index).StreamsHold(copy);
      block.kind[row] = work ? kind : Kind::kDeviceOp;
      if (!work) return;
      DeviceArgs args;
      args.device = device.index;
      args.stream = device.stream;
      block.args[row] = static_cast<uint32_t>(block.device_args.size());
      block.device_args.push_back(args);
      block.tracks[block.track[row]].kind = TrackKind::kStream;
    });
  }

  const std::map<int32_t, Shown>& gpus() const { return shown_; }

 private:
  std::vector<StatsDevice> DevicesOf(const EventBlock& block) const {
    std::vector<StatsDevice> devices;
    for (const EventBlock::TrackKey& track : block.tracks) {
      devices.push_back(DeviceOf(names_.Process(block, track.process)));
    }
    return devices;
  }

  template <typename Take>
  void ForEachGpuRow(const ParsedChunk& chunk, Take take) const {
    const EventBlock& block = chunk.block;
    const std::vector<StatsDevice> devices = DevicesOf(block);
    size_t next = 0;
    for (uint32_t row = 0; row < block.kind.size(); ++row) {
      while (next < chunk.deferred.size() && chunk.deferred[next].row < row) ++next;
      const bool known = next < chunk.deferred.size() && chunk.deferred[next].row == row;
      const StatsDevice& device = devices[block.track[row]];
      if (device.rows == StatsRows::kOps || device.rows == StatsRows::kSync) continue;
      const Deferred* deferred = known ? &chunk.deferred[next] : nullptr;
      take(block, row, device, KindOfWork(block, row, deferred, device), deferred);
    }
  }

  const RowNames& names_;
  std::map<int32_t, Shown> shown_;
};

}  // namespace

void ClassifyTimelineRows(std::span<ParsedChunk> chunks, const RowNames& names,
                          std::vector<Device>& devices) {
  TimelineClassifier classifier(names);
  for (const ParsedChunk& chunk : chunks) classifier.Count(chunk);
  for (ParsedChunk& chunk : chunks) classifier.Classify(chunk);
  for (const auto& [index, shown] : classifier.gpus()) {
    Device& device = devices.emplace_back();
    device.index = index;
  }
}

}  // namespace stepscope::chrome_json
