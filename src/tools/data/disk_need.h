#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "base/message.h"

namespace stepscope {

struct DiskClass {
  Message name;
  double bytes_per_second;
  bool suffices;
};

// Whether storage keeps up with the step.
struct DiskNeed {
  double step_seconds = 0;
  double batch = 0;
  double bytes_per_record = 0;
  double records_per_second = 0;
  double bytes_per_second = 0;
  std::optional<double> measured;  // bytes per second
  std::optional<double> share;     // needed of measured
  enum class Verdict : uint8_t {
    kNotMeasured,
    kSuffices,
    kTight,
    kTooSlow
  } verdict = Verdict::kNotMeasured;
  std::vector<DiskClass> classes;
  uint64_t dataset_bytes = 0;
  uint64_t memory_bytes = 0;  // 0: unknown
  bool fits_in_memory = false;
};

// need = batch × bytes of a record / step. Above 0.8 of what was measured it is tight, above all of
// it too slow. A set that takes at most 0.8 of memory fits.
DiskNeed NeedOf(double step_seconds, double batch, double bytes_per_record,
                std::optional<double> measured, uint64_t dataset_bytes, uint64_t memory_bytes);

}  // namespace stepscope
