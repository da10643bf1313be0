#pragma once

#include <cstdint>
#include <vector>

#include "diff/run.h"
#include "link/linked_trace.h"

namespace stepscope::diff {

// Which used step a time on the host or a piece of device work belongs to.
class StepLookup {
 public:
  explicit StepLookup(const LinkedTrace& linked);

  uint32_t size() const { return static_cast<uint32_t>(used_.size()); }
  // Indices into Steps::items of the used steps; empty where the profile has none.
  const std::vector<uint32_t>& used() const { return used_; }
  // Index of the used step, kNoRow for none. Without steps that can be used, all of the profile (or
  // of the steps that were chosen) belongs to step 0.
  uint32_t AtHost(TimeNs time) const;
  uint32_t Of(const Work& work) const;

 private:
  const LinkedTrace& linked_;
  std::vector<uint32_t> used_;
  std::vector<uint32_t> place_;    // by index into Steps::items
  std::vector<Interval> on_host_;  // of used steps, by start
};

// Every op, range, input stage, call outside of ops and piece of device work of the used steps.
std::vector<Atom> AtomsOf(const LinkedTrace& linked, const StepLookup& steps);

}  // namespace stepscope::diff
