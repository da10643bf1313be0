#include "link/testing/without_markers.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <vector>

namespace stepscope {
namespace {

bool IsMarker(const Trace& trace, uint32_t row) {
  return trace.slices.kind[row] == Kind::kStep || trace.slices.kind[row] == Kind::kDeviceAnnotation;
}

template <typename T>
void KeepRows(std::vector<T>& column, const std::vector<uint32_t>& kept) {
  std::vector<T> rest;
  rest.reserve(kept.size());
  for (const uint32_t row : kept) rest.push_back(column[row]);
  column = std::move(rest);
}

}  // namespace

Trace WithoutMarkers(Trace trace) {
  Slices& slices = trace.slices;
  std::vector<uint32_t> kept;
  std::vector<uint32_t> row_now(slices.size(), kNoRow);
  for (uint32_t row = 0; row < slices.size(); ++row) {
    if (IsMarker(trace, row)) continue;
    row_now[row] = static_cast<uint32_t>(kept.size());
    kept.push_back(row);
  }
  for (SliceId& parent : slices.parent) {
    while (parent != kNoSlice && row_now[Index(parent)] == kNoRow) {
      parent = slices.parent[Index(parent)];
    }
    if (parent != kNoSlice) parent = SliceId{row_now[Index(parent)]};
  }
  const auto now = [&](uint32_t row) {
    return static_cast<uint32_t>(std::lower_bound(kept.begin(), kept.end(), row) - kept.begin());
  };
  for (Track& track : trace.tracks)
    track.slices = {now(track.slices.first), now(track.slices.last)};
  trace.device_args.ForEach([&](DeviceArgs& args) {
    if (args.slice != kNoRow) args.slice = row_now[args.slice];
  });
  KeepRows(slices.start, kept);
  KeepRows(slices.duration, kept);
  KeepRows(slices.name, kept);
  KeepRows(slices.parent, kept);
  KeepRows(slices.args, kept);
  KeepRows(slices.event, kept);
  KeepRows(slices.depth, kept);
  KeepRows(slices.kind, kept);
  KeepRows(slices.flags, kept);
  return trace;
}

void ExpectSameBorders(const Steps& found, const Steps& marked) {
  std::vector<int64_t> durations;
  for (const Step& step : marked.items) durations.push_back(step.duration.ns);
  std::sort(durations.begin(), durations.end());
  const int64_t tolerance = durations[(durations.size() - 1) / 2] / 20;
  // Between two markers there is a moment that belongs to neither: a border may lie anywhere in
  // it.
  const auto distance = [](TimeNs border, TimeNs from, TimeNs to) {
    return std::max({int64_t{0}, (from - border).ns, (border - to).ns});
  };
  const size_t last = marked.items.size() - 1;
  EXPECT_NEAR(found.items[0].start.ns, marked.items[0].start.ns, tolerance) << "first";
  EXPECT_NEAR(found.items[last].end().ns, marked.items[last].end().ns, tolerance) << "last";
  for (size_t i = 1; i <= last; ++i) {
    EXPECT_LE(distance(found.items[i].start, marked.items[i - 1].end(), marked.items[i].start),
              tolerance)
        << i;
  }
}

}  // namespace stepscope
