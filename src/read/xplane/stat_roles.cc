#include "read/xplane/stat_roles.h"

#include <array>
#include <cstring>
#include <utility>

#include "read/xplane/xplane_fields.h"

namespace stepscope::xplane {

StatRole RoleOfStat(std::string_view name) {
  using enum StatRole;
  constexpr auto kNames = std::to_array<std::pair<std::string_view, StatRole>>({
      {"step_num", kStepNumber},
      {"tf_function_call", kFunctionCall},
      {"correlation_id", kCorrelation},
      {"hlo_op", kHloOp},
      {"tf_op", kTfOp},
      {"graph_type", kGraphType},
      {"_pt", kProducerType},
      {"_p", kProducer},
      {"_ct", kConsumerType},
      {"_c", kConsumer},
      {"allocator_name", kAllocator},
      {"index_on_host", kIndexOnHost},
      {"bytes_reserved", kBytesReserved},
      {"bytes_allocated", kBytesAllocated},
      {"requested_bytes", kRequestedBytes},
      {"allocation_bytes", kAllocationBytes},
      {"addr", kAddress},
      {"name", kName},
      {"parallelism", kParallelism},
      {"buffer_limit", kBufferLimit},
      {"buffer_size", kBufferSize},
      {"buffered_elements", kBufferedElements},
      {"autotune", kAutotune},
      {"shape", kShape},
      {"tensor_shapes", kShape},
      {"kernel_details", kKernelDetails},
      {"memcpy_details", kMemcpyDetails},
      {"Memset_details", kMemsetDetails},
      {"memset_details", kMemsetDetails},
      {"theoretical_occupancy_pct", kOccupancy},
      {"cuda_graph_node_id", kGraphNode},
      {"counter_value", kCounterValue},
  });
  for (const auto& [known, role] : kNames) {
    if (known == name) return role;
  }
  return kNone;
}

namespace {

constexpr uint64_t Tag(uint32_t field, uint32_t type) { return field << 3 | type; }

// The usual layout: the id, then one value. False when the stat has another layout.
bool ReadPlainStat(WireCursor& cursor, StatValue& value) {
  using Type = StatValue::Type;
  uint64_t tag = 0;
  if (!cursor.Varint(tag)) return false;
  value.text = {};
  switch (tag) {
    case Tag(stat_field::kUint64, 0):
      value.type = Type::kUnsigned;
      return cursor.Varint(value.bits) && cursor.done();
    case Tag(stat_field::kInt64, 0):
      value.type = Type::kSigned;
      return cursor.Varint(value.bits) && cursor.done();
    case Tag(stat_field::kReference, 0):
      value.type = Type::kReference;
      return cursor.Varint(value.bits) && cursor.done();
    case Tag(stat_field::kDouble, 1):
      if (cursor.left() != sizeof value.bits) return false;
      std::memcpy(&value.bits, cursor.at, sizeof value.bits);
      value.type = Type::kDouble;
      return true;
    case Tag(stat_field::kString, 2):
      value.type = Type::kText;
      return cursor.Bytes(value.text) && cursor.done();
    default:
      return false;
  }
}

}  // namespace

bool EventStats::Take(StatRole role, WireCursor value) {
  if (!ReadPlainStat(value, values_[Bit(role)])) return false;
  present_ |= uint64_t{1} << Bit(role);
  return true;
}

// Nearly all stats: of under 128 bytes, with an id of under 128 in front.
bool EventStats::ReadShortStat(WireCursor& cursor, const std::vector<StatRole>& roles) {
  constexpr uint8_t kStatTag = Tag(event_field::kStats, 2);
  constexpr uint8_t kIdTag = Tag(stat_field::kMetadataId, 0);
  std::array<uint8_t, 4> head;  // tag, size, tag of the id, id
  if (cursor.left() < head.size()) return false;
  std::memcpy(head.data(), cursor.at, head.size());
  const size_t size = head[1];
  if (head[0] != kStatTag || head[2] != kIdTag || ((head[1] | head[3]) & 0x80) != 0) return false;
  if (size < 2 || size > cursor.left() - 2) return false;
  const char* const end = cursor.at + 2 + size;
  const StatRole role = head[3] < roles.size() ? roles[head[3]] : StatRole::kNone;
  if (role != StatRole::kNone) {  // most are stepped over
    const std::string_view value(cursor.at + head.size(), size - 2);
    if (!Take(role, WireCursor(value, cursor.readable))) return false;
  }
  cursor.at = end;
  return true;
}

bool EventStats::Read(std::string_view bytes, const char* readable,
                      const std::vector<StatRole>& roles) {
  constexpr auto kIdTag = static_cast<char>(Tag(stat_field::kMetadataId, 0));
  present_ = 0;
  for (WireCursor cursor(bytes, readable); !cursor.done();) {
    if (ReadShortStat(cursor, roles)) continue;
    uint64_t tag = 0;
    if (!cursor.Varint(tag)) return false;
    if (tag != Tag(event_field::kStats, 2)) {
      if (!cursor.Skip(tag)) return false;
      continue;
    }
    std::string_view stat_bytes;
    if (!cursor.Bytes(stat_bytes)) return false;
    uint64_t id = 0;
    if (!stat_bytes.empty() && stat_bytes[0] == kIdTag) {
      WireCursor stat(stat_bytes.substr(1), readable);
      if (stat.Varint(id)) {
        // Most stats have no role and are stepped over.
        if (id >= roles.size() || roles[id] == StatRole::kNone) continue;
        if (Take(roles[id], stat)) continue;
      }
    }
    Stat stat;
    if (!ReadStat(stat_bytes, stat)) return false;
    if (stat.metadata_id >= roles.size()) continue;
    const StatRole role = roles[stat.metadata_id];
    if (role == StatRole::kNone) continue;
    present_ |= uint64_t{1} << Bit(role);
    values_[Bit(role)] = stat.value;
  }
  return true;
}

std::vector<StatRole> RolesOf(const Plane& plane) {
  // Writers number stats from 1; a far id in a damaged file must not make the table large.
  constexpr uint64_t kRoleLimit = uint64_t{1} << 20;
  std::vector<StatRole> roles;
  for (const auto& [id, name] : plane.stat_names) {
    const StatRole role = RoleOfStat(name);
    if (role == StatRole::kNone || id >= kRoleLimit) continue;
    if (id >= roles.size()) roles.resize(id + 1, StatRole::kNone);
    roles[id] = role;
  }
  return roles;
}

}  // namespace stepscope::xplane
