#pragma once

#include <chrono>

#include "base/language.h"
#include "fleet/analyze.h"

namespace stepscope {

// How far `fleet analyze` is, on standard error: one line that is drawn again on a terminal, a line
// every half minute elsewhere, as a log of a nightly job wants it.
class FleetProgress {
 public:
  explicit FleetProgress(Language language);
  ~FleetProgress();
  FleetProgress(const FleetProgress&) = delete;
  FleetProgress& operator=(const FleetProgress&) = delete;

  void Show(const fleet::Counts& counts);
  // Wipes the line, so that output can follow.
  void Finish();

 private:
  using Clock = std::chrono::steady_clock;

  const Language language_;
  const bool terminal_;
  const Clock::time_point started_ = Clock::now();
  Clock::time_point next_;
  bool drawn_ = false;
};

}  // namespace stepscope
