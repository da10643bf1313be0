#pragma once

#include <cstdint>
#include <vector>

#include "analyze/device_work.h"
#include "base/time.h"
#include "link/links.h"
#include "trace/trace.h"

namespace stepscope {

// How the spans of one kind (ops, annotations, modules) contain each other, whatever stands between
// them. 4 bytes a slice of the trace.
class CallTree {
 public:
  CallTree(Kind kind, const Trace& trace);

  Kind kind() const { return kind_; }
  // In slice order: parents before their children.
  const std::vector<uint32_t>& calls() const { return calls_; }
  // The innermost span of the kind that is the slice or contains it, kNoRow when there is none.
  uint32_t InnermostAt(uint32_t slice) const { return innermost_[slice]; }
  // The next span of the kind around a call.
  uint32_t ParentOf(uint32_t call) const;
  // The call that a piece of device work belongs to: for ops the one that contains the start of its
  // launch (Links::op_of), else the innermost around the launching call.
  uint32_t OwnerOf(const Work& work, const Links& links) const;

 private:
  Kind kind_;
  const Trace& trace_;
  std::vector<uint32_t> calls_;
  std::vector<uint32_t> innermost_;  // by slice
};

// By slice: whether it is a call that is not inside one of the same name. O(slices).
std::vector<bool> OutermostCalls(const Trace& trace, const CallTree& tree);

// By slice: device time of a call and of all below it; wanted(work) says what counts. O(slices).
template <typename Wanted>
std::vector<DurationNs> DeviceTotals(const Trace& trace, const Links& links, const DeviceWork& work,
                                     const CallTree& tree, Wanted wanted) {
  std::vector<DurationNs> totals(trace.slices.size());
  for (const Work& item : work.all()) {
    if (!wanted(item)) continue;
    const uint32_t owner = tree.OwnerOf(item, links);
    if (owner != kNoRow) totals[owner] += item.end - item.start;
  }
  // Children come after their parents: from the back each total is complete when it is passed up.
  for (size_t i = tree.calls().size(); i-- > 0;) {
    const uint32_t call = tree.calls()[i];
    if (totals[call].ns == 0) continue;
    const uint32_t parent = tree.ParentOf(call);
    if (parent != kNoRow) totals[parent] += totals[call];
  }
  return totals;
}

}  // namespace stepscope
