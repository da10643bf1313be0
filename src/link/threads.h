#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "base/ids.h"
#include "link/links.h"
#include "link/steps.h"
#include "trace/trace.h"

namespace stepscope {

// Host threads: a thread and its extra lanes (spans that overlap without nesting) are one.
class Threads {
 public:
  explicit Threads(const Trace& trace);

  size_t size() const { return first_.size() - 1; }
  // kNoRow when the track is no host thread.
  uint32_t Of(TrackId track) const { return thread_of_[Index(track)]; }
  // Tracks of a thread, first lane first.
  std::span<const uint32_t> LanesOf(uint32_t thread) const;

 private:
  std::vector<uint32_t> thread_of_;  // by track
  std::vector<uint32_t> lanes_;      // tracks, thread by thread
  std::vector<uint32_t> first_;      // by thread, into lanes_
};

// The thread that runs the training loop: the one with the step markers, else the one that launches
// most, else the one with most time in ops. kNoRow when there is none.
uint32_t MainThread(const Trace& trace, const Threads& threads, const Links& links,
                    const Steps& steps);

}  // namespace stepscope
