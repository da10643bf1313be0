#include "read/run_metadata/run_metadata_proto.h"

#include <fmt/format.h>

#include "read/file_type.h"
#include "read/graph_def/graph_def_fields.h"
#include "read/protobuf/message_file.h"
#include "read/protobuf/walk.h"
#include "read/run_metadata/run_metadata_fields.h"
#include "words/read.h"

namespace stepscope {
namespace {

constexpr SayFrom<kReadTexts> Say;

using namespace fields;

class Parser {
 public:
  Parser(std::string_view bytes, Diagnostics& diagnostics) : faults_(bytes, diagnostics) {}

  void Run(std::string_view bytes, RunMetadata& run) {
    WalkMessage(bytes, "RunMetadata", faults_, [&](const WireReader& r) {
      switch (r.field()) {
        case kRunStepStats:
          run.has_step_stats = true;
          StepStats(r.Bytes(), run);
          break;
        case kRunCostGraph:
          run.cost_graph = r.Bytes();
          break;
        case kRunPartitionGraph:
          run.partition_graphs.push_back(r.Bytes());
          break;
        default:
          break;
      }
    });
  }

 private:
  void StepStats(std::string_view bytes, RunMetadata& run) {
    WalkMessage(bytes, "StepStats", faults_, [&](const WireReader& r) {
      if (r.field() == kStepDevice) Device(r.Bytes(), run);
    });
  }

  void Device(std::string_view bytes, RunMetadata& run) {
    DeviceStepStats& device = run.devices.emplace_back();
    WalkMessage(bytes, "DeviceStepStats", faults_, [&](const WireReader& r) {
      switch (r.field()) {
        case kDeviceName:
          device.device = r.Bytes();
          break;
        case kDeviceNode: {
          ++run.rows;
          NodeExecStats node;
          if (Node(r.Bytes(), node) && !r.cut()) {
            device.nodes.push_back(std::move(node));
          } else {
            ++run.dropped_rows;
            faults_.Dropped(r.Bytes(), "NodeExecStats " + std::string(node.name));
          }
          break;
        }
        case kDeviceThreadName:
          device.thread_names.push_back(ThreadName(r.Bytes()));
          break;
        default:
          break;
      }
    });
  }

  std::pair<uint32_t, std::string_view> ThreadName(std::string_view bytes) {
    std::pair<uint32_t, std::string_view> entry{0, {}};
    WalkMessage(bytes, "thread_names", faults_, [&](const WireReader& r) {
      if (r.field() == kKey) entry.first = static_cast<uint32_t>(r.Unsigned());
      if (r.field() == kValue) entry.second = r.Bytes();
    });
    return entry;
  }

  bool Node(std::string_view bytes, NodeExecStats& node) {
    bool whole = true;
    const bool walked = WalkMessage(bytes, "NodeExecStats", faults_, [&](const WireReader& r) {
      switch (r.field()) {
        case kStatsName:
          node.name = r.Bytes();
          break;
        case kStatsAllStart:
          node.all_start_micros = r.Signed();
          break;
        case kStatsOpStart:
          node.op_start_rel_micros = r.Signed();
          break;
        case kStatsOpEnd:
          node.op_end_rel_micros = r.Signed();
          break;
        case kStatsAllEnd:
          node.all_end_rel_micros = r.Signed();
          break;
        case kStatsMemory:
          whole &= Memory(r.Bytes(), node.memory.emplace_back());
          break;
        case kStatsOutput:
          whole &= Output(r.Bytes(), node.outputs.emplace_back());
          break;
        case kStatsLabel:
          node.label = r.Bytes();
          break;
        case kStatsScheduled:
          node.scheduled_micros = r.Signed();
          break;
        case kStatsThread:
          node.thread = static_cast<uint32_t>(r.Unsigned());
          break;
        case kStatsReferenced:
          whole &= Allocation(r.Bytes(), node.referenced.emplace_back());
          break;
        case kStatsNodeMemory:
          whole &= NodeMemoryStats(r.Bytes(), node.node_memory);
          break;
        case kStatsAllStartNanos:
          node.all_start_nanos = r.Signed();
          break;
        case kStatsOpStartNanos:
          node.op_start_rel_nanos = r.Signed();
          break;
        case kStatsOpEndNanos:
          node.op_end_rel_nanos = r.Signed();
          break;
        case kStatsAllEndNanos:
          node.all_end_rel_nanos = r.Signed();
          break;
        case kStatsScheduledNanos:
          node.scheduled_nanos = r.Signed();
          break;
        default:
          break;
      }
    });
    return walked && whole;
  }

  bool Memory(std::string_view bytes, AllocatorMemory& memory) {
    return WalkMessage(bytes, "AllocatorMemoryUsed", faults_, [&](const WireReader& r) {
      switch (r.field()) {
        case kAllocatorName:
          memory.allocator = r.Bytes();
          break;
        case kAllocatorTotal:
          memory.total_bytes = r.Signed();
          break;
        case kAllocatorPeak:
          memory.peak_bytes = r.Signed();
          break;
        case kAllocatorLive:
          memory.live_bytes = r.Signed();
          break;
        case kAllocatorInUse:
          memory.bytes_in_use = r.Signed();
          break;
        case kAllocatorRecord:
          Record(r.Bytes(), memory.records.emplace_back());
          break;
        default:
          break;
      }
    });
  }

  bool Record(std::string_view bytes, AllocationRecord& record) {
    return WalkMessage(bytes, "AllocationRecord", faults_, [&](const WireReader& r) {
      if (r.field() == kRecordMicros) record.micros = r.Signed();
      if (r.field() == kRecordBytes) record.bytes = r.Signed();
    });
  }

  bool Output(std::string_view bytes, NodeOutput& output) {
    bool whole = true;
    const bool walked = WalkMessage(bytes, "NodeOutput", faults_, [&](const WireReader& r) {
      if (r.field() == kOutputSlot) output.slot = static_cast<int32_t>(r.Signed());
      if (r.field() == kOutputTensor) whole &= Tensor(r.Bytes(), output);
    });
    return walked && whole;
  }

  bool Tensor(std::string_view bytes, NodeOutput& output) {
    output.description = bytes;
    bool whole = true;
    const bool walked = WalkMessage(bytes, "TensorDescription", faults_, [&](const WireReader& r) {
      switch (r.field()) {
        case kDescriptionType:
          output.type = static_cast<DataType>(r.Signed());
          break;
        case kDescriptionShape:
          output.shape = ParseTensorShape(r.Bytes());
          break;
        case kDescriptionAllocation:
          output.has_allocation = true;
          whole &= Allocation(r.Bytes(), output.allocation);
          break;
        default:
          break;
      }
    });
    return walked && whole;
  }

  bool Allocation(std::string_view bytes, AllocationDescription& allocation) {
    return WalkMessage(bytes, "AllocationDescription", faults_, [&](const WireReader& r) {
      switch (r.field()) {
        case kAllocationRequested:
          allocation.requested_bytes = r.Signed();
          break;
        case kAllocationAllocated:
          allocation.allocated_bytes = r.Signed();
          break;
        case kAllocationAllocator:
          allocation.allocator = r.Bytes();
          break;
        case kAllocationId:
          allocation.allocation_id = r.Signed();
          break;
        case kAllocationSingle:
          allocation.has_single_reference = r.Bool();
          break;
        case kAllocationAddress:
          allocation.address = r.Unsigned();
          break;
        default:
          break;
      }
    });
  }

  bool NodeMemoryStats(std::string_view bytes, NodeMemory& memory) {
    return WalkMessage(bytes, "MemoryStats", faults_, [&](const WireReader& r) {
      switch (r.field()) {
        case kMemoryTemp:
          memory.temp_bytes = r.Signed();
          break;
        case kMemoryPersistent:
          memory.persistent_bytes = r.Signed();
          break;
        case kMemoryPersistentIds:
          AppendIntegers(r, memory.persistent_allocation_ids);
          break;
        default:
          break;
      }
    });
  }

  MessageFaults faults_;
};

}  // namespace

RunMetadata ParseRunMetadataMessage(std::string_view bytes, Diagnostics& diagnostics) {
  RunMetadata run;
  Parser(bytes, diagnostics).Run(bytes, run);
  return run;
}

Result<RunMetadata> ParseRunMetadata(const FileBytes& bytes, const std::string& path,
                                     Diagnostics& diagnostics) {
  Result<MessageBytes> wire = WireBytesOf(bytes, kRunMetadataMessage, path, diagnostics);
  if (!wire) return std::unexpected(std::move(wire.error()));
  RunMetadata run = ParseRunMetadataMessage(wire->bytes, diagnostics);
  run.owner = std::move(wire->owner);
  const bool empty = run.rows == 0 && run.partition_graphs.empty() && run.cost_graph.empty();
  const FileType type = FileTypeOf(std::string_view(wire->bytes).substr(0, kSniffedBytes));
  if (empty && type != FileType::kUnknown && type != FileType::kRunMetadata) {
    return Fail(ErrorCode::kDamaged, Say("read.other-kind", NameOf(type)), path);
  }
  if (empty && !wire->bytes.empty() && diagnostics.CountOf(Diagnostic::kMalformedProtobuf) > 0) {
    return Fail(ErrorCode::kDamaged, Say("read.not-run-metadata"), path,
                Say("read.give-run-metadata"));
  }
  return run;
}

Result<RunMetadata> ReadRunMetadata(const std::string& path, Diagnostics& diagnostics) {
  Result<FileBytes> bytes = ReadWhole(path);
  if (!bytes) return std::unexpected(std::move(bytes.error()));
  return ParseRunMetadata(*bytes, path, diagnostics);
}

}  // namespace stepscope
