#include "read/run_metadata/run_metadata_fields.h"

#include "read/graph_def/graph_def_fields.h"

namespace stepscope::fields {

using enum FieldType;

namespace {

constexpr FieldDescriptor kRecordFields[] = {{"alloc_micros", kRecordMicros, kInteger},
                                             {"alloc_bytes", kRecordBytes, kInteger}};
const MessageDescriptor kRecordMessage{"AllocationRecord", kRecordFields};
const FieldDescriptor kAllocatorFields[] = {
    {"allocator_name", kAllocatorName, kBytes},
    {"total_bytes", kAllocatorTotal, kInteger},
    {"peak_bytes", kAllocatorPeak, kInteger},
    {"live_bytes", kAllocatorLive, kInteger},
    {"allocator_bytes_in_use", kAllocatorInUse, kInteger},
    {"allocation_records", kAllocatorRecord, kMessage, &kRecordMessage},
};
const MessageDescriptor kAllocatorMessage{"AllocatorMemoryUsed", kAllocatorFields};

constexpr FieldDescriptor kAllocationFields[] = {
    {"requested_bytes", kAllocationRequested, kInteger},
    {"allocated_bytes", kAllocationAllocated, kInteger},
    {"allocator_name", kAllocationAllocator, kBytes},
    {"allocation_id", kAllocationId, kInteger},
    {"has_single_reference", kAllocationSingle, kBool},
    {"ptr", kAllocationAddress, kInteger},
};
const MessageDescriptor kAllocationMessage{"AllocationDescription", kAllocationFields};

const FieldDescriptor kTensorDescriptionFields[] = {
    {"dtype", kDescriptionType, kEnum, nullptr, kDataTypeValues},
    {"shape", kDescriptionShape, kMessage, &kTensorShapeMessage},
    {"allocation_description", kDescriptionAllocation, kMessage, &kAllocationMessage},
};
const FieldDescriptor kOutputFields[] = {
    {"slot", kOutputSlot, kInteger},
    {"tensor_description", kOutputTensor, kMessage, &kTensorDescriptionMessage}};
const MessageDescriptor kOutputMessage{"NodeOutput", kOutputFields};

constexpr FieldDescriptor kNodeMemoryFields[] = {
    {"temp_memory_size", kMemoryTemp, kInteger},
    {"device_temp_memory_size", kMemoryDeviceTemp, kInteger},
    {"persistent_memory_size", kMemoryPersistent, kInteger},
    {"device_persistent_memory_size", kMemoryDevicePersistent, kInteger},
    {"persistent_tensor_alloc_ids", kMemoryPersistentIds, kInteger},
    {"device_persistent_tensor_alloc_ids", kMemoryDevicePersistentIds, kInteger},
};
const MessageDescriptor kNodeMemoryMessage{"MemoryStats", kNodeMemoryFields};

const FieldDescriptor kNodeStatsFields[] = {
    {"node_name", kStatsName, kBytes},
    {"all_start_micros", kStatsAllStart, kInteger},
    {"op_start_rel_micros", kStatsOpStart, kInteger},
    {"op_end_rel_micros", kStatsOpEnd, kInteger},
    {"all_end_rel_micros", kStatsAllEnd, kInteger},
    {"memory", kStatsMemory, kMessage, &kAllocatorMessage},
    {"output", kStatsOutput, kMessage, &kOutputMessage},
    {"timeline_label", kStatsLabel, kBytes},
    {"scheduled_micros", kStatsScheduled, kInteger},
    {"thread_id", kStatsThread, kInteger},
    {"referenced_tensor", kStatsReferenced, kMessage, &kAllocationMessage},
    {"memory_stats", kStatsNodeMemory, kMessage, &kNodeMemoryMessage},
    {"all_start_nanos", kStatsAllStartNanos, kInteger},
    {"op_start_rel_nanos", kStatsOpStartNanos, kInteger},
    {"op_end_rel_nanos", kStatsOpEndNanos, kInteger},
    {"all_end_rel_nanos", kStatsAllEndNanos, kInteger},
    {"scheduled_nanos", kStatsScheduledNanos, kInteger},
};
const MessageDescriptor kNodeStatsMessage{"NodeExecStats", kNodeStatsFields};

constexpr FieldDescriptor kThreadNameFields[] = {{"key", kKey, kInteger},
                                                 {"value", kValue, kBytes}};
const MessageDescriptor kThreadNameMessage{"thread_names", kThreadNameFields};
const FieldDescriptor kDeviceFields[] = {
    {"device", kDeviceName, kBytes},
    {"node_stats", kDeviceNode, kMessage, &kNodeStatsMessage},
    {"thread_names", kDeviceThreadName, kMessage, &kThreadNameMessage}};
const MessageDescriptor kDeviceMessage{"DeviceStepStats", kDeviceFields};
const FieldDescriptor kStepStatsFields[] = {{"dev_stats", kStepDevice, kMessage, &kDeviceMessage}};
const MessageDescriptor kStepStatsMessage{"StepStats", kStepStatsFields};
const FieldDescriptor kRunMetadataFields[] = {
    {"step_stats", kRunStepStats, kMessage, &kStepStatsMessage},
    {"partition_graphs", kRunPartitionGraph, kMessage, &kGraphDefMessage}};

}  // namespace

const MessageDescriptor kRunMetadataMessage{"RunMetadata", kRunMetadataFields};
const MessageDescriptor kTensorDescriptionMessage{"TensorDescription", kTensorDescriptionFields};

}  // namespace stepscope::fields
