#include "read/chrome_json/viewer_rows.h"

#include <algorithm>
#include <charconv>
#include <string_view>

#include "read/xplane/host_names.h"
#include "read/xplane/planes.h"

namespace stepscope::chrome_json {
namespace {

using xplane::LineRole;
using xplane::PlaneName;

struct RowMeaning {
  PlaneName plane;
  LineRole role = LineRole::kThread;
  bool python = false;
  int32_t stream = -1;
};

// "Stream #14(Compute,MemcpyD2D)"
int32_t StreamOf(std::string_view line) {
  const size_t mark = line.find('#');
  if (mark == std::string_view::npos) return -1;
  int32_t stream = -1;
  std::from_chars(line.data() + mark + 1, line.data() + line.size(), stream);
  return stream;
}

RowMeaning MeaningOf(const EventBlock& block, const EventBlock::TrackKey& track,
                     const RowNames& names) {
  const std::string_view line = names.Thread(block, track);
  RowMeaning meaning;
  meaning.plane = xplane::ParsePlaneName(names.Process(block, track.process));
  meaning.role = xplane::RoleOfLine(meaning.plane.type, line);
  meaning.python = line.starts_with("python") || line.starts_with("main");
  meaning.stream = StreamOf(line);
  return meaning;
}

class BlockClassifier {
 public:
  BlockClassifier(ParsedChunk& chunk, const RowNames& names)
      : chunk_(chunk), block_(chunk.block), host_kinds_(block_.strings.size(), kUnseen) {
    for (EventBlock::TrackKey& track : block_.tracks) {
      rows_.push_back(MeaningOf(block_, track, names));
      if (track.kind != TrackKind::kThread) continue;
      switch (rows_.back().role) {
        case LineRole::kThread:
          break;
        case LineRole::kStream:
        case LineRole::kXlaOps:
          track.kind = TrackKind::kStream;
          break;
        case LineRole::kDerived:
        case LineRole::kDeviceSteps:
        case LineRole::kOverhead:
        case LineRole::kCounters:
          track.kind = TrackKind::kOther;
          break;
      }
    }
  }

  void Run() {
    size_t next = 0;
    for (uint32_t row = 0; row < block_.kind.size(); ++row) {
      while (next < chunk_.deferred.size() && chunk_.deferred[next].row < row) ++next;
      const bool known = next < chunk_.deferred.size() && chunk_.deferred[next].row == row;
      if (block_.kind[row] != Kind::kOther) continue;
      const RowMeaning& meaning = rows_[block_.track[row]];
      const Deferred* deferred = known ? &chunk_.deferred[next] : nullptr;
      if (meaning.plane.is_device()) {
        OnDevice(row, meaning, deferred);
      } else {
        OnHost(row, meaning, deferred);
      }
    }
  }

 private:
  static constexpr int16_t kUnseen = -1;
  static constexpr int16_t kMaybeAnnotation = 256;

  void OnDevice(uint32_t row, const RowMeaning& meaning, const Deferred* deferred) {
    const std::string_view name = block_.strings[block_.name[row]];
    switch (meaning.role) {
      case LineRole::kStream:
      case LineRole::kXlaOps:
        block_.kind[row] = xplane::KindOfStreamEvent(name);
        break;
      case LineRole::kDeviceSteps:
        block_.kind[row] = Kind::kDeviceAnnotation;
        return;
      case LineRole::kOverhead:
        block_.kind[row] = Kind::kOverhead;
        return;
      case LineRole::kThread:
      case LineRole::kDerived:
      case LineRole::kCounters:
        block_.kind[row] = Kind::kDeviceOp;
        return;
    }
    DeviceArgs args = deferred != nullptr ? deferred->device : DeviceArgs{};
    args.device = meaning.plane.index;
    args.stream = meaning.stream;
    if (deferred != nullptr) {
      xplane::ReadKernelDetails(block_.strings[deferred->kernel_details], args);
      args.bytes =
          xplane::BytesOfTransfer(block_.strings[deferred->transfer_details]).value_or(args.bytes);
    }
    block_.args[row] = static_cast<uint32_t>(block_.device_args.size());
    block_.device_args.push_back(args);
  }

  void OnHost(uint32_t row, const RowMeaning& meaning, const Deferred* deferred) {
    int16_t& kind = host_kinds_[Index(block_.name[row])];
    if (kind == kUnseen) {
      const xplane::HostName host = xplane::ClassifyHostName(block_.strings[block_.name[row]]);
      kind = static_cast<int16_t>(static_cast<int16_t>(host.kind) |
                                  (host.maybe_annotation ? kMaybeAnnotation : 0));
    }
    const bool annotation = (kind & kMaybeAnnotation) != 0 && meaning.python;
    block_.kind[row] = annotation ? Kind::kAnnotation : static_cast<Kind>(kind & 0xff);
    if (TableOf(block_.kind[row]) != ArgsTable::kOp) block_.args[row] = kNoRow;
    if (deferred == nullptr) return;
    if (deferred->step >= 0) {
      block_.kind[row] = Kind::kStep;
      block_.args[row] = static_cast<uint32_t>(block_.op_args.size());
      block_.op_args.emplace_back().sequence = deferred->step;
    } else if (deferred->device.correlation != kNoCorrelation) {
      block_.kind[row] = Kind::kCall;
      block_.args[row] = static_cast<uint32_t>(block_.call_args.size());
      block_.call_args.push_back({deferred->device.correlation, 0});
    } else if (deferred->hlo) {
      block_.kind[row] = Kind::kOp;
    }
  }

  ParsedChunk& chunk_;
  EventBlock& block_;
  std::vector<RowMeaning> rows_;     // by track
  std::vector<int16_t> host_kinds_;  // by name, worked out once
};

}  // namespace

void ClassifyViewerRows(std::span<ParsedChunk> chunks, const RowNames& names,
                        std::vector<Device>& devices, TaskPool& pool) {
  pool.ForEach(chunks.size(), [&](size_t c) { BlockClassifier(chunks[c], names).Run(); });
  for (const ParsedChunk& chunk : chunks) {
    for (const EventBlock::TrackKey& track : chunk.block.tracks) {
      if (track.kind != TrackKind::kStream) continue;
      const PlaneName plane = xplane::ParsePlaneName(names.Process(chunk.block, track.process));
      Device device;
      device.type = plane.type == xplane::PlaneType::kTpu   ? DeviceType::kTpu
                    : plane.type == xplane::PlaneType::kGpu ? DeviceType::kGpu
                                                            : DeviceType::kOther;
      device.index = plane.index;
      const bool seen = std::any_of(devices.begin(), devices.end(), [&](const Device& other) {
        return other.type == device.type && other.index == device.index;
      });
      if (!seen) devices.push_back(std::move(device));
    }
  }
}

}  // namespace stepscope::chrome_json
