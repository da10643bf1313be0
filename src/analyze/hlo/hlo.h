#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "base/ids.h"
#include "base/time.h"
#include "link/device_work.h"

namespace stepscope {

// An XLA instruction: what ran of it, and what its compiled module says.
struct HloRow {
  StringId name = kEmptyString;
  StringId module = kEmptyString, category = kEmptyString;
  StringId op_name = kEmptyString;  // the framework's call path: "jit(step)/jit(main)/add"
  StringId source = kEmptyString;   // the Python line that made it: "train.py:31"
  uint64_t calls = 0;
  DurationNs total;
  std::optional<int64_t> flops, bytes;  // of one call
};

// Time of each XLA instruction, from the device work that names it or, in a profile without
// accelerators, from the host spans called after it; with what the compiled modules say about it.
// By time, then name. Empty where nothing of XLA is recorded. O(device work + slices).
std::vector<HloRow> AnalyzeHlo(const Trace& trace, const DeviceWork& work);

}  // namespace stepscope
