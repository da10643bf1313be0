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

// The allocations that are not freed yet. Frees are matched by address; where the file has none,
// with the latest allocation of the same size.
class Live {
 public:
  void Allocate(const Allocation& allocation, uint32_t row) {
    if (allocation.address != 0) {
      by_address_[allocation.address] = row;
    } else {
      by_size_[allocation.bytes].push_back(row);
    }
  }
  void Free(const Allocation& allocation) {
    if (allocation.address != 0) {
      by_address_.erase(allocation.address);
      return;
    }
    const auto found = by_size_.find(-allocation.bytes);
    if (found != by_size_.end() && !found->second.empty()) found->second.pop_back();
  }
  std::vector<uint32_t> Rows() const {
    std::vector<uint32_t> rows;
    for (const auto& [address, row] : by_address_) rows.push_back(row);
    for (const auto& [size, same] : by_size_) rows.insert(rows.end(), same.begin(), same.end());
    return rows;
  }

 private:
  std::unordered_map<uint64_t, uint32_t> by_address_;
  std::unordered_map<int64_t, std::vector<uint32_t>> by_size_;
};

}  // namespace

Holders HoldersAt(const Trace& trace, DeviceType type, int32_t device, TimeNs time) {
  int64_t total = -1;
  Live live;
  for (uint32_t row = 0; row < trace.allocations.size(); ++row) {
    const Allocation& allocation = trace.allocations[row];
    if (allocation.time > time) break;
    if (allocation.device_type != type || allocation.device != device) continue;
    total = allocation.total_allocated;
    allocation.bytes > 0 ? live.Allocate(allocation, row) : live.Free(allocation);
  }
  Holders result;
  std::map<std::string_view, Holder> by_op;
  for (const uint32_t row : live.Rows()) {
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
