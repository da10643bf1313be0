#include "analyze/explore/holders.h"

#include <algorithm>
#include <map>
#include <string_view>
#include <vector>

#include "link/links.h"

namespace stepscope {
namespace {

bool CanHold(Kind kind) { return kind == Kind::kOp || kind == Kind::kAnnotation; }

StringId OwnerOf(const Trace& trace, const Allocation& allocation) {
  if (allocation.op != kEmptyString) return allocation.op;
  if (allocation.track == kNoTrack) return kEmptyString;
  const SliceId slice = InnermostAt(trace, allocation.track, allocation.time, CanHold);
  return slice == kNoSlice ? kEmptyString : trace.slices.name[Index(slice)];
}

// The key that matches a free with its allocation: the address, or the size where no address is
// recorded.
struct BlockKey {
  uint64_t address;
  uint64_t size;
  friend auto operator<=>(const BlockKey&, const BlockKey&) = default;
};
BlockKey KeyOf(const Allocation& allocation) {
  if (allocation.address != 0) return {allocation.address, 0};
  const auto bytes = static_cast<uint64_t>(allocation.bytes);
  return {0, allocation.bytes < 0 ? 0 - bytes : bytes};
}

}  // namespace

Holders HoldersAt(const Trace& trace, DeviceType type, int32_t device, TimeNs time) {
  int64_t total = -1;
  std::map<BlockKey, std::vector<uint32_t>> live;  // rows, the youngest last
  for (uint32_t row = 0; row < trace.allocations.size(); ++row) {
    const Allocation& allocation = trace.allocations[row];
    if (allocation.time > time) break;
    if (allocation.device_type != type || allocation.device != device) continue;
    total = allocation.total_allocated;
    std::vector<uint32_t>& rows = live[KeyOf(allocation)];
    if (allocation.bytes > 0) {
      if (allocation.address != 0) rows.clear();  // its free was not recorded
      rows.push_back(row);
    } else if (!rows.empty()) {
      rows.pop_back();
    }
  }
  Holders result;
  std::map<std::string_view, Holder> by_op;
  for (const auto& [key, rows] : live) {
    for (const uint32_t row : rows) {
      const Allocation& allocation = trace.allocations[row];
      const std::string_view op = trace.strings[OwnerOf(trace, allocation)];
      Holder& holder = by_op[op];
      holder.op = op;
      holder.bytes += allocation.bytes;
      ++holder.blocks;
      result.bytes += allocation.bytes;
      ++result.blocks;
    }
  }
  result.before = std::max<int64_t>(total - result.bytes, 0);
  for (auto& [op, holder] : by_op) result.holders.push_back(std::move(holder));
  std::ranges::stable_sort(result.holders, std::greater(), &Holder::bytes);
  return result;
}

}  // namespace stepscope
