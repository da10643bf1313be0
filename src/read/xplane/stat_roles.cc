#include "read/xplane/stat_roles.h"

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
      {"hlo_module", kHloModule},
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
      {"stream", kStream},
  });
  for (const auto& [known, role] : kNames) {
    if (known == name) return role;
  }
  return kNone;
}

namespace {

// Whether the stat has no role, told from the id it begins with: most stats are stepped over so.
bool HasNoRole(std::string_view stat, const char* readable, const std::vector<StatRole>& roles) {
  constexpr auto kIdTag = static_cast<char>(stat_field::kMetadataId << 3);
  if (stat.empty() || stat[0] != kIdTag) return false;
  uint64_t id = 0;
  if (!WireCursor(stat.substr(1), readable).Varint(id)) return false;
  return id >= roles.size() || roles[id] == StatRole::kNone;
}

}  // namespace

bool EventStats::Read(std::string_view bytes, const char* readable,
                      const std::vector<StatRole>& roles) {
  constexpr uint64_t kStatTag = event_field::kStats << 3 | 2;
  present_ = 0;
  for (WireCursor cursor(bytes, readable); !cursor.done();) {
    uint64_t tag = 0;
    if (!cursor.Varint(tag)) return false;
    if (tag != kStatTag) {
      if (!cursor.Skip(tag)) return false;
      continue;
    }
    std::string_view stat_bytes;
    if (!cursor.Bytes(stat_bytes)) return false;
    if (HasNoRole(stat_bytes, readable, roles)) continue;
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
