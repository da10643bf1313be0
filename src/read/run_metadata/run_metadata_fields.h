#pragma once

#include <cstdint>

#include "read/protobuf/descriptor.h"

// Field numbers, one table per message, as TensorFlow's .proto files give them.
namespace stepscope::fields {

enum RunMetadataField : uint32_t { kRunStepStats = 1, kRunCostGraph = 2, kRunPartitionGraph = 3 };
enum StepStatsField : uint32_t { kStepDevice = 1 };
enum DeviceStatsField : uint32_t { kDeviceName = 1, kDeviceNode = 2, kDeviceThreadName = 3 };
enum NodeStatsField : uint32_t {
  kStatsName = 1,
  kStatsAllStart = 2,
  kStatsOpStart = 3,
  kStatsOpEnd = 4,
  kStatsAllEnd = 5,
  kStatsMemory = 6,
  kStatsOutput = 7,
  kStatsLabel = 8,
  kStatsScheduled = 9,
  kStatsThread = 10,
  kStatsReferenced = 11,
  kStatsNodeMemory = 12,
  kStatsAllStartNanos = 13,
  kStatsOpStartNanos = 14,
  kStatsOpEndNanos = 15,
  kStatsAllEndNanos = 16,
  kStatsScheduledNanos = 17
};
enum AllocatorMemoryField : uint32_t {
  kAllocatorName = 1,
  kAllocatorTotal = 2,
  kAllocatorPeak = 3,
  kAllocatorLive = 4,
  kAllocatorInUse = 5,
  kAllocatorRecord = 6
};
enum AllocationRecordField : uint32_t { kRecordMicros = 1, kRecordBytes = 2 };
enum NodeOutputField : uint32_t { kOutputSlot = 1, kOutputTensor = 3 };
enum TensorDescriptionField : uint32_t {
  kDescriptionType = 1,
  kDescriptionShape = 2,
  kDescriptionAllocation = 4
};
enum AllocationField : uint32_t {
  kAllocationRequested = 1,
  kAllocationAllocated = 2,
  kAllocationAllocator = 3,
  kAllocationId = 4,
  kAllocationSingle = 5,
  kAllocationAddress = 6
};
enum NodeMemoryField : uint32_t {
  kMemoryTemp = 1,
  kMemoryDeviceTemp = 2,
  kMemoryPersistent = 3,
  kMemoryDevicePersistent = 4,
  kMemoryPersistentIds = 5,
  kMemoryDevicePersistentIds = 6
};

// For text protobuf.
extern const MessageDescriptor kRunMetadataMessage;
extern const MessageDescriptor kTensorDescriptionMessage;

}  // namespace stepscope::fields
