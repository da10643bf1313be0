#pragma once

#include <cstdint>
#include <unordered_map>
#include <vector>

#include "base/ids.h"
#include "trace/trace.h"

namespace stepscope {

// Which call carries a correlation. Runtimes number calls one after the other, so a plain table
// offset by the smallest number does; numbers from elsewhere (hashes, several processes) go to a
// hash map. Of several calls with one number, one that launches or copies is preferred, then the
// first.
class CorrelationIndex {
 public:
  explicit CorrelationIndex(const Trace& trace);

  SliceId CallWith(uint64_t correlation) const;

 private:
  uint64_t smallest_ = 0;
  std::vector<SliceId> dense_;  // by correlation - smallest_; empty when sparse_ is used
  std::unordered_map<uint64_t, SliceId> sparse_;
};

}  // namespace stepscope
