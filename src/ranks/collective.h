#pragma once

#include <cstdint>
#include <string_view>

namespace stepscope {

enum class CollectiveType : uint8_t {
  kAllReduce,
  kBroadcast,
  kReduce,
  kAllGather,
  kReduceScatter,
  kAllToAll,
  kAllToAllV,
  kGather,
  kScatter,
  kSend,
  kReceive,
  kSendReceive,  // one kernel that does both, or a permutation
  kBarrier,
  kWait,  // carries nothing: not a call of its own
  kOther
};
inline constexpr size_t kCollectiveTypes = 15;
std::string_view NameOf(CollectiveType type);  // "allreduce", as PyTorch spells it

// What a call is, from any spelling: "allreduce", "gloo:all_reduce", "_allgather_base",
// "ncclDevKernel_ReduceScatter_Sum_f32_RING_LL(...)", "all-to-all.3", "cross_device_reduce_1stage".
CollectiveType CollectiveTypeOf(std::string_view name);

// Whether no member can leave before the last one has come: only such calls say who waits for whom.
bool Synchronises(CollectiveType type);
bool IsPointToPoint(CollectiveType type);

// The bytes that nccl-tests calls S: the whole array. -1 where the elements are not known.
int64_t PayloadBytes(CollectiveType type, int64_t in_elements, int64_t out_elements,
                     int64_t element_bytes, int64_t ranks);

// Bus bandwidth over algorithm bandwidth, as nccl-tests defines it for so many ranks.
double BusFactor(CollectiveType type, int64_t ranks);

// What one direction of the links between devices of this name can carry, in bytes a second;
// 0 where that is not known.
double LinkPeak(std::string_view device_name);

}  // namespace stepscope
