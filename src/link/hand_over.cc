#include "link/hand_over.h"

#include <algorithm>
#include <tuple>
#include <unordered_map>

#include "link/lanes.h"

namespace stepscope {
namespace {

constexpr int kLongestChain = 8;  // of hand-overs from thread to thread

// The end of the span that a consumer's mark stands on, or its time when there is none.
TimeNs EndOfMarked(const Trace& trace, LaneGroup thread, const Flow& mark) {
  const Slices& slices = trace.slices;
  for (uint32_t t = thread.first; t < thread.last; ++t) {
    const auto first = slices.start.begin() + trace.tracks[t].slices.first;
    const auto last = slices.start.begin() + trace.tracks[t].slices.last;
    for (auto at = std::lower_bound(first, last, mark.time); at != last && *at == mark.time; ++at) {
      const auto row = static_cast<uint32_t>(at - slices.start.begin());
      if (slices.event[row] == mark.event) return slices.end(row);
    }
  }
  return mark.time;
}

}  // namespace

HandOvers::HandOvers(const Trace& trace) : trace_(trace) {
  const StringId name = trace.strings.Find("hand-over");
  if (name == kEmptyString) return;
  thread_of_track_.resize(trace.tracks.size());
  std::vector<LaneGroup> group_of(trace.tracks.size());
  for (const LaneGroup group : LaneGroupsOf(trace)) {
    for (uint32_t t = group.first; t < group.last; ++t) {
      thread_of_track_[t] = group.first;
      group_of[t] = group;
    }
  }
  std::unordered_map<uint64_t, const Flow*> producers;
  for (const Flow& flow : trace.flows) {  // by time: a producer comes before its consumers
    if (flow.name != name || flow.track == kNoTrack) continue;
    if (flow.phase == FlowPhase::kStart) {
      producers[flow.id] = &flow;
      continue;
    }
    const auto producer = producers.find(flow.id);
    if (producer == producers.end()) continue;
    Consumer& consumer = consumers_.emplace_back();
    consumer.thread = thread_of_track_[Index(flow.track)];
    consumer.start = flow.time;
    consumer.end = EndOfMarked(trace, group_of[Index(flow.track)], flow);
    consumer.produced = producer->second->time;
    consumer.produced_on = thread_of_track_[Index(producer->second->track)];
  }
  std::sort(consumers_.begin(), consumers_.end(), [](const Consumer& a, const Consumer& b) {
    return std::tie(a.thread, a.start) < std::tie(b.thread, b.start);
  });
}

const HandOvers::Consumer* HandOvers::Around(uint32_t thread, TimeNs time) const {
  auto at = std::upper_bound(consumers_.begin(), consumers_.end(), std::pair(thread, time),
                             [](const std::pair<uint32_t, TimeNs>& key, const Consumer& consumer) {
                               return key < std::pair(consumer.thread, consumer.start);
                             });
  constexpr int kNested = 8;  // consumers inside one another
  for (int i = 0; i < kNested && at != consumers_.begin(); ++i) {
    --at;
    if (at->thread != thread) return nullptr;
    if (at->end > time && at->produced_on != thread) return &*at;
  }
  return nullptr;
}

TimeNs HandOvers::AskedAt(uint32_t call) const {
  TimeNs time = trace_.slices.start[call];
  if (empty()) return time;
  uint32_t thread = thread_of_track_[Index(trace_.TrackOf(call))];
  for (int i = 0; i < kLongestChain; ++i) {
    const Consumer* consumer = Around(thread, time);
    if (consumer == nullptr) break;
    time = consumer->produced;
    thread = consumer->produced_on;
  }
  return time;
}

}  // namespace stepscope
