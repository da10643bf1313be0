#include "link/threads.h"

#include <algorithm>
#include <map>
#include <string_view>
#include <tuple>

namespace stepscope {
namespace {

uint32_t Largest(const std::vector<uint64_t>& weights) {
  const auto best = std::max_element(weights.begin(), weights.end());
  if (best == weights.end() || *best == 0) return kNoRow;
  return static_cast<uint32_t>(best - weights.begin());
}

// Time in outermost ops, thread by thread.
std::vector<uint64_t> OpTime(const Trace& trace, const Threads& threads) {
  std::vector<uint64_t> time(threads.size(), 0);
  const Slices& slices = trace.slices;
  for (uint32_t thread = 0; thread < threads.size(); ++thread) {
    for (const uint32_t lane : threads.LanesOf(thread)) {
      TimeNs covered;
      for (uint32_t i = trace.tracks[lane].slices.first; i < trace.tracks[lane].slices.last; ++i) {
        if (slices.kind[i] != Kind::kOp || slices.end(i) <= covered) continue;
        time[thread] +=
            static_cast<uint64_t>((slices.end(i) - std::max(slices.start[i], covered)).ns);
        covered = slices.end(i);
      }
    }
  }
  return time;
}

}  // namespace

Threads::Threads(const Trace& trace) : thread_of_(trace.tracks.size(), kNoRow) {
  std::map<std::tuple<uint32_t, std::string_view>, uint32_t> known;
  std::vector<std::vector<uint32_t>> lanes;
  for (uint32_t t = 0; t < trace.tracks.size(); ++t) {
    const Track& track = trace.tracks[t];
    if (track.kind != TrackKind::kThread) continue;
    const auto [at, fresh] =
        known.try_emplace({Index(track.process), track.key}, static_cast<uint32_t>(lanes.size()));
    if (fresh) lanes.emplace_back();
    lanes[at->second].push_back(t);
    thread_of_[t] = at->second;
  }
  first_.push_back(0);
  for (const auto& of_thread : lanes) {
    lanes_.insert(lanes_.end(), of_thread.begin(), of_thread.end());
    first_.push_back(static_cast<uint32_t>(lanes_.size()));
  }
}

std::span<const uint32_t> Threads::LanesOf(uint32_t thread) const {
  return std::span(lanes_).subspan(first_[thread], first_[thread + 1] - first_[thread]);
}

uint32_t MainThread(const Trace& trace, const Threads& threads, const Links& links,
                    const Steps& steps) {
  for (const Step& step : steps.items) {
    if (step.marker == kNoSlice) continue;
    const uint32_t thread = threads.Of(trace.TrackOf(Index(step.marker)));
    if (thread != kNoRow) return thread;
  }
  std::vector<uint64_t> launches(threads.size(), 0);
  for (const SliceId call : links.calls) {
    const uint32_t thread = threads.Of(trace.TrackOf(Index(call)));
    if (thread != kNoRow) ++launches[thread];
  }
  const uint32_t launching = Largest(launches);
  return launching != kNoRow ? launching : Largest(OpTime(trace, threads));
}

}  // namespace stepscope
