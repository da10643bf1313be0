#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/diagnostics.h"
#include "base/result.h"
#include "io/byte_source.h"
#include "read/graph_def/graph_def.h"

// TensorFlow's RunMetadata as it is written: what one session.run recorded. All strings are views
// into the file, which RunMetadata keeps alive.
namespace stepscope {

struct AllocationRecord {
  int64_t micros = 0;
  int64_t bytes = 0;  // negative: freed
};

struct AllocatorMemory {
  std::string_view allocator;
  int64_t total_bytes = 0;
  int64_t peak_bytes = 0;
  int64_t live_bytes = 0;
  int64_t bytes_in_use = 0;
  std::vector<AllocationRecord> records;
};

struct AllocationDescription {
  int64_t requested_bytes = 0;
  int64_t allocated_bytes = 0;
  std::string_view allocator;
  int64_t allocation_id = 0;
  bool has_single_reference = false;
  uint64_t address = 0;
};

struct NodeOutput {
  int32_t slot = 0;
  DataType type = DataType::kInvalid;
  TensorShape shape;
  bool has_allocation = false;
  AllocationDescription allocation;
  std::string_view description;  // the whole TensorDescription
};

struct NodeMemory {
  int64_t temp_bytes = 0;
  int64_t persistent_bytes = 0;
  std::vector<int64_t> persistent_allocation_ids;
};

struct NodeExecStats {
  std::string_view name;
  std::string_view label;  // timeline_label: "name = Op(inputs)"
  int64_t all_start_micros = 0;
  int64_t op_start_rel_micros = 0;
  int64_t op_end_rel_micros = 0;
  int64_t all_end_rel_micros = 0;
  int64_t scheduled_micros = 0;  // old GPU rows hold nanoseconds here
  int64_t all_start_nanos = 0;   // 0 where only microseconds were recorded; all five
  int64_t op_start_rel_nanos = 0;
  int64_t op_end_rel_nanos = 0;
  int64_t all_end_rel_nanos = 0;
  int64_t scheduled_nanos = 0;
  uint32_t thread = 0;
  std::vector<AllocatorMemory> memory;
  std::vector<NodeOutput> outputs;
  std::vector<AllocationDescription> referenced;
  NodeMemory node_memory;
};

struct DeviceStepStats {
  std::string_view device;
  std::vector<NodeExecStats> nodes;
  std::vector<std::pair<uint32_t, std::string_view>> thread_names;
};

struct RunMetadata {
  std::vector<DeviceStepStats> devices;            // step_stats.dev_stats, in file order
  std::vector<std::string_view> partition_graphs;  // GraphDef bytes, see ParseGraphDefMessage
  std::string_view cost_graph;                     // CostGraphDef bytes
  bool has_step_stats = false;                     // the field is there, be it empty
  uint64_t rows = 0;          // node_stats in the file, dropped ones among them
  uint64_t dropped_rows = 0;  // incomplete ones
  std::shared_ptr<const void> owner;
};

// Binary or text. A file cut short gives the rows before the cut and a diagnostic.
Result<RunMetadata> ReadRunMetadata(const std::string& path, Diagnostics& diagnostics);
Result<RunMetadata> ParseRunMetadata(const FileBytes& bytes, const std::string& path,
                                     Diagnostics& diagnostics);
// Wire bytes that something else holds (an event file); views are as long-lived as the bytes.
RunMetadata ParseRunMetadataMessage(std::string_view bytes, Diagnostics& diagnostics);

}  // namespace stepscope
