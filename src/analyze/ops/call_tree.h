#pragma once

#include <cstdint>
#include <vector>

#include "base/time.h"
#include "link/device_work.h"
#include "link/links.h"
#include "trace/trace.h"

namespace stepscope {

// The spans of one kind (ops, annotations, modules) as calls numbered in slice order, parents
// before children, whatever stands between them. 8 bytes per call. The trace must outlive it.
class CallTree {
 public:
  CallTree(Kind kind, const Trace& trace);

  Kind kind() const { return kind_; }
  uint32_t size() const { return static_cast<uint32_t>(slice_.size()); }
  uint32_t SliceOf(uint32_t call) const { return slice_[call]; }
  // The next call around one, kNoRow at the top.
  uint32_t ParentOf(uint32_t call) const { return parent_[call]; }
  // The innermost call that is the slice or contains it, kNoRow when there is none. The call that
  // begins last before it is looked for around `near`, which becomes it: O(log of the distance +
  // calls around it), so that who asks from left to right need not search.
  uint32_t InnermostAt(uint32_t slice, uint32_t& near) const;
  // The span whose innermost call a piece of device work belongs to: for ops the one that contains
  // the start of its launch (Links::op_of), else the launching call; kNoSlice when unknown.
  SliceId AskedBy(const Work& work, const Links& links) const;

 private:
  // The first call after the slice, looked for around `near`.
  uint32_t FirstAfter(uint32_t slice, uint32_t near) const;

  Kind kind_;
  const Trace* trace_;
  std::vector<uint32_t> slice_;
  std::vector<uint32_t> parent_;
};

// The calls that pieces of device work belong to, kNoRow where there is none. Those of one launch
// (a graph's are hundreds) are looked up once.
class OwnerLookup {
 public:
  OwnerLookup(const CallTree& tree, const Links& links) : tree_(tree), links_(links) {}
  uint32_t Of(const Work& work) {
    const SliceId from = tree_.AskedBy(work, links_);
    if (from == kNoSlice) return kNoRow;
    if (from != last_from_) {
      last_from_ = from;
      last_ = tree_.InnermostAt(Index(from), near_);
    }
    return last_;
  }

 private:
  const CallTree& tree_;
  const Links& links_;
  SliceId last_from_ = kNoSlice;
  uint32_t last_ = kNoRow;
  uint32_t near_ = 0;
};

// By call: whether it is not inside one of the same name. O(calls).
std::vector<bool> OutermostCalls(const Trace& trace, const CallTree& tree);

// By call: device time of its own and of all below it.
class DeviceTotals {
 public:
  // O(calls + work); nothing without work.
  DeviceTotals(const Trace& trace, const Links& links, const DeviceWork& work,
               const CallTree& tree);

  DurationNs All(uint32_t call) const { return all_.empty() ? DurationNs{} : all_[call]; }
  // Of it on tensor cores.
  DurationNs TensorCore(uint32_t call) const {
    return tensor_core_.empty() ? DurationNs{} : tensor_core_[call];
  }

 private:
  std::vector<DurationNs> all_;
  std::vector<DurationNs> tensor_core_;
};

}  // namespace stepscope
