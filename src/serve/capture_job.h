#pragma once

#include <condition_variable>
#include <cstdint>
#include <functional>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

#include "base/result.h"
#include "capture/capture_target.h"

namespace stepscope {

// The capture that the page asked for: one at a time, on a thread of its own. Safe to use from many
// threads; ends with the object, early if need be.
class CaptureJob {
 public:
  // Gets the files of a capture that worked; the number of the profile they became.
  using OnCaptured = std::function<size_t(const std::vector<std::string>& paths)>;
  // `folder`: where folders of captures are made.
  CaptureJob(std::string folder, OnCaptured on_captured);
  ~CaptureJob();
  CaptureJob(const CaptureJob&) = delete;
  CaptureJob& operator=(const CaptureJob&) = delete;

  // False: one runs already.
  bool Start(CaptureTarget target, CaptureChoices choices, std::chrono::milliseconds duration);
  // Ends the one that runs early; what there is becomes a profile.
  void Stop();
  // The state as JSON (docs/serve.md), as soon as it is newer than `seen` or a second has passed;
  // "" where it is not. `seen` becomes its number.
  std::string StateJson(uint64_t& seen, bool wait, Language language) const;

 private:
  void Run(const CaptureTarget& target, const CaptureChoices& choices,
           std::chrono::milliseconds duration, const std::stop_token& stop);
  void Set(std::string state, Sentences sentence, Sentences next, int64_t profile);

  const std::string folder_;
  const OnCaptured on_captured_;
  mutable std::mutex mutex_;
  mutable std::condition_variable changed_;
  uint64_t version_ = 1;
  std::string state_ = "idle";  // idle, running, done, failed
  Sentences sentence_, next_;
  int64_t profile_ = -1;
  std::jthread thread_;
};

}  // namespace stepscope
