#pragma once

#include <atomic>
#include <chrono>
#include <cstdint>
#include <mutex>

#include "io/byte_source.h"

namespace stepscope {

// One line on standard error while a long piece of work runs: shown from half a second on, only
// when standard error is a terminal, and wiped at the end. Thread-safe; a call costs a clock read
// at most.
class ProgressBar {
 public:
  ProgressBar();
  ~ProgressBar();
  ProgressBar(const ProgressBar&) = delete;
  ProgressBar& operator=(const ProgressBar&) = delete;

  // To hand to readers; does nothing where no bar is to be shown. Must not outlive the bar.
  Progress callback();
  // Wipes the line, so that output can follow.
  void Finish();

 private:
  using Clock = std::chrono::steady_clock;
  void Show(double share, const char* what);

  const bool wanted_;
  const Clock::time_point started_ = Clock::now();
  std::atomic<int64_t> next_ns_;  // since started_: when to draw again
  std::mutex mutex_;
  bool drawn_ = false;
};

}  // namespace stepscope
