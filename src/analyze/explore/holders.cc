#include "analyze/explore/holders.h"

#include <algorithm>
#include <map>
#include <unordered_map>

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

}  // namespace

Holders HoldersAt(const Trace& trace, DeviceType type, int32_t device, TimeNs time) {
  int64_t total = -1;
  std::unordered_map<uint64_t, uint32_t> live;  // address to row
  for (uint32_t row = 0; row < trace.allocations.size(); ++row) {
    const Allocation& allocation = trace.allocations[row];
    if (allocation.time > time) break;
    if (allocation.device_type != type || allocation.device != device) continue;
    total = allocation.total_allocated;
    if (allocation.bytes > 0) {
      live[allocation.address] = row;
    } else {
      live.erase(allocation.address);
    }
  }
  Holders result;
  std::map<std::string_view, Holder> by_op;
  for (const auto& [address, row] : live) {
    const Allocation& allocation = trace.allocations[row];
    const std::string_view op = trace.strings[OwnerOf(trace, allocation)];
    Holder& holder = by_op[op];
    holder.op = op;
    holder.bytes += allocation.bytes;
    ++holder.blocks;
    result.bytes += allocation.bytes;
    ++result.blocks;
  }
  result.before = std::max<int64_t>(total - result.bytes, 0);
  for (auto& [op, holder] : by_op) result.holders.push_back(std::move(holder));
  std::ranges::stable_sort(result.holders, std::greater(), &Holder::bytes);
  return result;
}

}  // namespace stepscope
