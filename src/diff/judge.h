#pragma once

#include <cstdint>
#include <vector>

#include "diff/diff.h"

namespace stepscope::diff {

// What a sample is evidence of. Host time of a single run a side never proves a change.
enum class Evidence : uint8_t { kDevice, kHost, kExact };

struct Judgement {
  Evidence evidence = Evidence::kHost;
  bool single_run = true;
  bool steps = true;         // values are steps of a run: neighbours may hang together
  double floor = 0;          // least relative change that counts, beside the threshold
  int64_t least_change = 0;  // of exact evidence, whatever its share
};

// Compares two samples, p unadjusted. Empty samples count as one zero.
Comparison CompareSamples(std::vector<int64_t> base, std::vector<int64_t> now,
                          const Judgement& judgement, const Settings& settings);

// The result of a comparison whose p (or q, where it has one) is final.
void Judge(const Judgement& judgement, const Settings& settings, Comparison& compared);

}  // namespace stepscope::diff
