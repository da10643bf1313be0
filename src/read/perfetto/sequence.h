#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "base/ids.h"
#include "read/block_writer.h"
#include "read/protobuf/wire.h"
#include "trace/kind.h"

namespace stepscope::perfetto {

// Values that a sequence of packets defines once and names by a number. Writers count from 1.
template <typename T>
class Interned {
 public:
  void Set(uint64_t iid, T value) {
    constexpr uint64_t kMostDense = uint64_t{1} << 20;
    if (iid < kMostDense && iid <= dense_.size() * 2 + 1024) {
      if (iid >= dense_.size()) dense_.resize(iid + 1);
      dense_[iid] = value;
    } else {
      sparse_[iid] = value;
    }
  }
  T Get(uint64_t iid) const {
    if (iid < dense_.size()) return dense_[iid];
    const auto at = sparse_.find(iid);
    return at == sparse_.end() ? T{} : at->second;
  }
  void Clear() {
    dense_.clear();
    sparse_.clear();
  }

 private:
  std::vector<T> dense_;
  std::unordered_map<uint64_t, T> sparse_;
};

// Arguments that analyses use, by the names that writers give them.
enum class ArgRole : uint8_t {
  kNone,
  kExternalId,
  kSequence,
  kInputDims,
  kInputTypes,
  kCorrelation,
  kDevice,
  kStream,
  kBytes,
  kGrid,
  kBlock,
  kRegisters,
  kSharedMemory,
  kOccupancy,
  kBlocksPerSm,
  kOp,
  kFrameId,
  kFrameParent
};
ArgRole ArgRoleOf(std::string_view name);

// What a category says about its events.
Kind KindOfCategory(std::string_view category);

struct KnownKind {
  Kind kind = Kind::kOther;
};

// Visits the id and the name of each counter of a GpuCounterDescriptor.
template <typename Visit>
void ForEachGpuCounter(std::string_view descriptor, Visit visit) {
  constexpr uint32_t kSpec = 1, kId = 1, kName = 2;
  for (WireReader spec(descriptor); spec.Next();) {
    if (spec.field() != kSpec) continue;
    uint64_t id = 0;
    std::string_view name;
    for (WireReader inner(spec.Bytes()); inner.Next();) {
      if (inner.field() == kId) id = inner.Unsigned();
      if (inner.field() == kName) name = inner.Bytes();
    }
    visit(id, name);
  }
}

// What packets of one writer have in common.
struct Sequence {
  uint32_t id = 0;
  Interned<StringId> names;
  Interned<StringId> strings;
  Interned<StringId> stages;  // GPU stages and hardware queues
  Interned<StringId> kernels;
  Interned<KnownKind> categories;
  Interned<ArgRole> annotations;
  Interned<uint32_t> contexts;  // api + 1
  // Counters of GPUs whose names belong to the sequence.
  struct GpuCounters {
    uint64_t gpu = 0;
    std::unordered_map<uint64_t, StringId> names;  // by counter
  };
  std::unordered_map<uint64_t, GpuCounters> gpu_counters;
  uint32_t default_clock = 0;
  bool has_default_track = false;
  uint64_t default_track = 0;
  std::vector<uint64_t> extra_tracks;
  std::vector<uint64_t> extra_double_tracks;
  bool lost = false;  // packets were dropped: what later ones refer to is unknown
  // Of old writers: the thread that writes, and the time that deltas count from.
  bool has_thread = false;
  int64_t pid = 0;
  int64_t tid = 0;
  int64_t reference_ns = 0;

  void Clear();
  void ReadInterned(std::string_view message, BlockWriter& out);
  void ReadDefaults(std::string_view message);
};

}  // namespace stepscope::perfetto
