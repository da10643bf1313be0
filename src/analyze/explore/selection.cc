#include "analyze/explore/selection.h"

#include <algorithm>
#include <unordered_map>

#include "analyze/idle/idle_gaps.h"

namespace stepscope {
namespace {

DurationNs Inside(TimeNs start, DurationNs length, Interval stretch) {
  const Interval part{std::max(start, stretch.start), std::min(start + length, stretch.end)};
  return part.length();
}

// Index into Trace::devices of a stream's device, or -1.
int32_t DeviceOfTrack(const Trace& trace, const Track& track) {
  for (size_t i = 0; i < trace.devices.size(); ++i) {
    const Device& device = trace.devices[i];
    if (device.index == track.device && device.type != DeviceType::kCpu) {
      return static_cast<int32_t>(i);
    }
  }
  return -1;
}

class Aggregator {
 public:
  Aggregator(const Timeline& timeline, const Links& links, const SelectionQuestion& question)
      : timeline_(timeline),
        links_(links),
        slices_(timeline.trace().slices),
        stretch_(question.stretch),
        by_(question.by),
        chosen_(timeline.lines().size(), question.lines.empty()) {
    for (const uint32_t line : question.lines) chosen_[line] = true;
  }

  Selection Run() && {
    for (size_t i = 0; i < timeline_.lines().size(); ++i) {
      const Line& line = timeline_.lines()[i];
      if (line.kind == LineKind::kTrack) AddTrack(line, chosen_[i]);
      if (line.kind == LineKind::kIdle) AddIdle(line);
    }
    for (auto& [device, intervals] : busy_) {
      DeviceRow(device).busy = IntervalSet::Of(std::move(intervals)).length();
    }
    const StringTable& strings = timeline_.trace().strings;
    std::ranges::sort(result_.rows, [&](const SelectionRow& a, const SelectionRow& b) {
      return a.total != b.total ? a.total > b.total : strings[a.name] < strings[b.name];
    });
    std::ranges::sort(result_.devices, {}, &SelectionDevice::device);
    return std::move(result_);
  }

 private:
  void AddTrack(const Line& line, bool chosen) {
    const Track& track = timeline_.trace().tracks[Index(line.track)];
    const int32_t device =
        track.kind == TrackKind::kStream ? DeviceOfTrack(timeline_.trace(), track) : -1;
    for (uint32_t depth = 0; depth < line.depths; ++depth) {
      for (const uint32_t row : timeline_.strip(line, depth).RowsIn(stretch_).View()) {
        if (chosen) Add(row);
        if (device >= 0 && IsDeviceWork(slices_.kind[row])) {
          busy_[device].push_back({std::max(slices_.start[row], stretch_.start),
                                   std::min(slices_.end(row), stretch_.end)});
        }
      }
    }
  }

  // The op that a span belongs to, itself included; of none, the span.
  uint32_t OpOf(uint32_t row) const {
    const uint32_t args = slices_.args[row];
    if (IsDeviceWork(slices_.kind[row])) {
      const bool known = args < links_.op_of.size() && links_.op_of[args] != kNoSlice;
      return known ? Index(links_.op_of[args]) : row;
    }
    for (SliceId up{row}; up != kNoSlice; up = slices_.parent[Index(up)]) {
      if (slices_.kind[Index(up)] == Kind::kOp) return Index(up);
    }
    return row;
  }

  SelectionRow& RowOf(uint32_t row) {
    const uint32_t about = by_ == SelectionBy::kOp ? OpOf(row) : row;
    const StringId name = by_ == SelectionBy::kKind ? kEmptyString : slices_.name[about];
    const Kind kind = slices_.kind[about];
    const uint64_t key = (uint64_t{Index(name)} << 8) | static_cast<uint64_t>(kind);
    const auto [place, fresh] = rows_.try_emplace(key, result_.rows.size());
    if (fresh) result_.rows.push_back({.name = name, .kind = kind, .longest = row});
    return result_.rows[place->second];
  }

  void Add(uint32_t row) {
    ++result_.spans;
    const DurationNs inside = Inside(slices_.start[row], slices_.duration[row], stretch_);
    SelectionRow& sum = RowOf(row);
    ++sum.calls;
    sum.total += inside;
    sum.self += inside;
    if (slices_.duration[row] > slices_.duration[sum.longest]) sum.longest = row;
    // What holds it is on the same line and less deep, so it was added before.
    if (slices_.parent[row] != kNoSlice) RowOf(Index(slices_.parent[row])).self -= inside;
  }

  void AddIdle(const Line& line) {
    const IdleGaps& gaps = timeline_.idle(line);
    SelectionDevice& device = DeviceRow(line.device);
    device.busy = gaps.host_busy.Clip(stretch_).length();
    for (const uint32_t gap : timeline_.idle_strip(line).RowsIn(stretch_).View()) {
      device.idle[static_cast<size_t>(gaps.cause[gap])] +=
          Inside(gaps.start[gap], gaps.duration[gap], stretch_);
    }
  }

  SelectionDevice& DeviceRow(int32_t device) {
    const auto found = std::ranges::find(result_.devices, device, &SelectionDevice::device);
    if (found != result_.devices.end()) return *found;
    result_.devices.push_back({device, {}, {}});
    return result_.devices.back();
  }

  const Timeline& timeline_;
  const Links& links_;
  const Slices& slices_;
  const Interval stretch_;
  const SelectionBy by_;
  std::vector<bool> chosen_;  // by line
  std::unordered_map<uint64_t, size_t> rows_;
  std::unordered_map<int32_t, std::vector<Interval>> busy_;
  Selection result_;
};

}  // namespace

Selection AggregateSelection(const Timeline& timeline, const Links& links,
                             const SelectionQuestion& question) {
  return Aggregator(timeline, links, question).Run();
}

}  // namespace stepscope
