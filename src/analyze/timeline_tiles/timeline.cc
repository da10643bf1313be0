#include "analyze/timeline_tiles/timeline.h"

#include <algorithm>
#include <map>
#include <numeric>
#include <utility>

#include "analyze/idle/idle_gaps.h"

namespace stepscope {

Timeline::Timeline(const Trace& trace, std::span<const IdleGaps> idle, TaskPool& pool)
    : trace_(trace), idle_(idle) {
  AddTracks();
  AddInstants();
  AddIdle();
  AddCounters();
  AddMemory();
  BuildStrips(pool);
}

// Spans of a track are in order of start. Where they nest, a counting sort makes a list of rows a
// depth that keeps it.
void Timeline::AddTracks() {
  const Slices& slices = trace_.slices;
  const SpanColumns columns{slices.start, slices.duration};
  std::vector<std::vector<uint32_t>> counts(trace_.tracks.size());  // by track and depth
  size_t nested = 0;
  for (size_t t = 0; t < trace_.tracks.size(); ++t) {
    const RowRange rows = trace_.tracks[t].slices;
    for (uint32_t row = rows.first; row < rows.last; ++row) {
      if (slices.depth[row] >= counts[t].size()) counts[t].resize(slices.depth[row] + size_t{1});
      ++counts[t][slices.depth[row]];
    }
    if (counts[t].size() > 1) nested += rows.size();
  }
  rows_.resize(nested);
  size_t place = 0;
  for (uint32_t t = 0; t < trace_.tracks.size(); ++t) {
    const Track& track = trace_.tracks[t];
    if (track.slices.empty()) continue;
    lines_.push_back({.kind = LineKind::kTrack,
                      .track = TrackId{t},
                      .process = track.process,
                      .first_strip = static_cast<uint32_t>(strips_.size()),
                      .depths = static_cast<uint32_t>(counts[t].size()),
                      .spans = track.slices.size()});
    if (counts[t].size() == 1) {
      strips_.emplace_back(columns, RowList(track.slices.first, track.slices.size()));
      continue;
    }
    std::vector<size_t> next;  // by depth: where the next row goes
    for (const uint32_t count : counts[t]) {
      next.push_back(place);
      place += count;
    }
    const std::vector<size_t> first = next;
    for (uint32_t row = track.slices.first; row < track.slices.last; ++row) {
      rows_[next[slices.depth[row]]++] = row;
    }
    for (size_t depth = 0; depth < next.size(); ++depth) {
      strips_.emplace_back(columns,
                           RowList(std::span(rows_).subspan(first[depth], counts[t][depth])));
    }
  }
}

void Timeline::AddInstants() {
  const std::vector<Instant>& instants = trace_.instants;
  instant_zero_.resize(instants.size());
  instant_time_.resize(instants.size());
  std::ranges::transform(instants, instant_time_.begin(), &Instant::time);
  instant_rows_.resize(instants.size());
  std::iota(instant_rows_.begin(), instant_rows_.end(), 0U);
  std::ranges::stable_sort(instant_rows_, {}, [&](uint32_t row) { return instants[row].track; });
  for (size_t first = 0, last = 0; first < instants.size(); first = last) {
    const TrackId track = instants[instant_rows_[first]].track;
    while (last < instants.size() && instants[instant_rows_[last]].track == track) ++last;
    Line line{.kind = LineKind::kInstants,
              .track = track,
              .first_strip = static_cast<uint32_t>(strips_.size()),
              .spans = last - first};
    if (track != kNoTrack) line.process = trace_.tracks[Index(track)].process;
    strips_.emplace_back(SpanColumns{instant_time_, instant_zero_},
                         RowList(std::span(instant_rows_).subspan(first, last - first)));
    lines_.push_back(std::move(line));
  }
}

void Timeline::AddIdle() {
  for (size_t i = 0; i < idle_.size(); ++i) {
    const IdleGaps& gaps = idle_[i];
    lines_.push_back({.kind = LineKind::kIdle,
                      .device = gaps.device,
                      .first_strip = static_cast<uint32_t>(i),
                      .spans = gaps.start.size()});
    idle_strips_.emplace_back(SpanColumns{gaps.start, gaps.duration},
                              RowList(0, gaps.start.size()));
  }
}

CounterStrip& Timeline::AddCounterLine(Line line) {
  line.kind = LineKind::kCounter;
  line.first_strip = static_cast<uint32_t>(counters_.size());
  lines_.push_back(std::move(line));
  return counters_.emplace_back();
}

void Timeline::AddCounters() {
  CounterStrip* strip = nullptr;
  const CounterSample* before = nullptr;
  for (const CounterSample& sample : trace_.counters) {
    const bool same = before != nullptr && before->process == sample.process &&
                      before->name == sample.name && before->series == sample.series;
    if (!same) {
      strip = &AddCounterLine({.process = sample.process,
                               .name = std::string(trace_.strings[sample.name]),
                               .series = std::string(trace_.strings[sample.series])});
    }
    strip->Add(sample.time, sample.value);
    ++lines_.back().spans;
    before = &sample;
  }
}

// The allocator's own figure where the file has one, else the running sum; reserved beside it.
void Timeline::AddMemory() {
  struct Curves {
    CounterStrip allocated, reserved;
    int64_t sum = 0;
    int64_t last_reserved = -1;
  };
  std::map<std::pair<DeviceType, int32_t>, Curves> devices;
  for (const Allocation& allocation : trace_.allocations) {
    Curves& curves = devices[{allocation.device_type, allocation.device}];
    curves.sum += allocation.bytes;
    const int64_t total = allocation.total_allocated >= 0 ? allocation.total_allocated : curves.sum;
    curves.allocated.Add(allocation.time, static_cast<double>(total));
    // Reserved memory changes seldom, so samples at its changes are the whole curve.
    if (allocation.total_reserved >= 0 && allocation.total_reserved != curves.last_reserved) {
      curves.last_reserved = allocation.total_reserved;
      curves.reserved.Add(allocation.time, static_cast<double>(allocation.total_reserved));
    }
  }
  for (auto& [key, curves] : devices) {
    Line line{.name = "memory " + DeviceIdOf(key.first, key.second),
              .series = "allocated",
              .bytes = true};
    for (size_t i = 0; i < trace_.devices.size(); ++i) {
      const Device& device = trace_.devices[i];
      if (device.type == key.first && device.index == key.second) {
        line.device = static_cast<int32_t>(i);
      }
    }
    line.spans = curves.allocated.samples();
    AddCounterLine(line) = std::move(curves.allocated);
    if (curves.reserved.samples() == 0) continue;
    line.series = "reserved";
    line.spans = curves.reserved.samples();
    AddCounterLine(line) = std::move(curves.reserved);
  }
}

void Timeline::BuildStrips(TaskPool& pool) {
  std::vector<std::pair<LodStrip*, size_t>> chunks;
  for (auto* strips : {&strips_, &idle_strips_}) {
    for (LodStrip& strip : *strips) {
      for (size_t chunk = 0; chunk < strip.chunks(); ++chunk) chunks.emplace_back(&strip, chunk);
    }
  }
  constexpr size_t kBatch = 16;
  pool.ForEach((chunks.size() + kBatch - 1) / kBatch, [&](size_t batch) {
    for (size_t i = batch * kBatch; i < std::min((batch + 1) * kBatch, chunks.size()); ++i) {
      chunks[i].first->BuildChunk(chunks[i].second);
    }
  });
  for (CounterStrip& counter : counters_) counter.Build();
}

const IdleGaps& Timeline::idle(const Line& line) const { return idle_[line.first_strip]; }

size_t Timeline::Bytes() const {
  size_t bytes = (rows_.capacity() + instant_rows_.capacity()) * 4 + instant_time_.capacity() * 16;
  for (const LodStrip& strip : strips_) bytes += sizeof strip + strip.BytesOfLevels();
  for (const LodStrip& strip : idle_strips_) bytes += sizeof strip + strip.BytesOfLevels();
  for (const CounterStrip& counter : counters_) bytes += counter.Bytes();
  return bytes;
}

}  // namespace stepscope
