#pragma once

#include <array>
#include <cstdint>
#include <string_view>
#include <vector>

#include "read/xplane/space.h"

namespace stepscope::xplane {

// The stats that the reader understands; all others stay in the file.
enum class StatRole : uint8_t {
  kNone,
  kStepNumber,
  kFunctionCall,
  kCorrelation,
  kHloOp,
  kTfOp,
  kGraphType,
  kProducerType,
  kProducer,
  kConsumerType,
  kConsumer,
  kAllocator,
  kIndexOnHost,
  kBytesReserved,
  kBytesAllocated,
  kRequestedBytes,
  kAllocationBytes,
  kAddress,
  kName,
  kParallelism,
  kBufferLimit,
  kBufferSize,
  kBufferedElements,
  kAutotune,
  kShape,
  kKernelDetails,
  kMemcpyDetails,
  kMemsetDetails,
  kOccupancy,
  kGraphNode,
  kCounterValue,
  kCount
};
inline constexpr size_t kStatRoles = static_cast<size_t>(StatRole::kCount);

StatRole RoleOfStat(std::string_view name);

// The stats of one event that have a role.
class EventStats {
 public:
  // Reads those of the XStats in `bytes` (fields of an XEvent from its first stat on) that have a
  // role. False when one is malformed.
  bool Read(std::string_view bytes, const char* readable, const std::vector<StatRole>& roles);

  bool Has(StatRole role) const { return (present_ >> Bit(role)) & 1; }
  const StatValue& operator[](StatRole role) const {
    return Has(role) ? values_[Bit(role)] : kAbsent;
  }
  int64_t Integer(StatRole role, int64_t otherwise) const {
    return (*this)[role].Integer(otherwise);
  }
  bool empty() const { return present_ == 0; }

 private:
  static constexpr StatValue kAbsent{};
  static constexpr size_t Bit(StatRole role) { return static_cast<size_t>(role); }
  // Both false where the stat has another layout than the usual one.
  bool ReadShortStat(WireCursor& cursor, const std::vector<StatRole>& roles);
  bool Take(StatRole role, WireCursor value);
  uint64_t present_ = 0;
  std::array<StatValue, kStatRoles> values_{};
};
static_assert(kStatRoles <= 64);

// Roles by stat metadata id.
std::vector<StatRole> RolesOf(const Plane& plane);

}  // namespace stepscope::xplane
