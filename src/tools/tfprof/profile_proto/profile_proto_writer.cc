#include "read/graph_def/graph_def_fields.h"
#include "read/protobuf/wire_writer.h"
#include "read/run_metadata/run_metadata_fields.h"
#include "tools/tfprof/profile_proto/profile_proto.h"
#include "tools/tfprof/profile_proto/profile_proto_fields.h"

namespace stepscope {
namespace {

using namespace fields;

// As proto3 writes: zeros and empty strings are left out.
void PutNumber(WireWriter& writer, uint32_t field, int64_t value) {
  if (value != 0) writer.Signed(field, value);
}
void PutBytes(WireWriter& writer, uint32_t field, std::string_view bytes) {
  if (!bytes.empty()) writer.Bytes(field, bytes);
}

std::string Packed(const std::vector<int64_t>& values) {
  std::string out;
  WireWriter writer(out);
  for (const int64_t value : values) writer.Raw(static_cast<uint64_t>(value));
  return out;
}

std::string EntryOf(int64_t key, std::string_view value) {
  std::string out;
  WireWriter writer(out);
  writer.Signed(kKey, key);
  writer.Bytes(kValue, value);
  return out;
}

std::string EntryOf(int64_t key, int64_t value) {
  std::string out;
  WireWriter writer(out);
  writer.Signed(kKey, key);
  writer.Signed(kValue, value);
  return out;
}

std::string EncodeTimes(const ExecTimes& times) {
  std::string value;
  for (const auto& [start, micros] : times.times) {
    std::string tuple;
    WireWriter(tuple).Bytes(kTupleValues, Packed({start, micros}));
    WireWriter(value).Bytes(kExecTimes, tuple);
  }
  std::string entry;
  WireWriter writer(entry);
  writer.Bytes(kKey, times.device);
  writer.Bytes(kValue, value);
  return entry;
}

std::string EncodeMemory(const ExecMemory& memory) {
  std::string out;
  WireWriter writer(out);
  PutNumber(writer, kEMemMicros, memory.micros);
  PutNumber(writer, kEMemHostTemp, memory.host_temp_bytes);
  PutNumber(writer, kEMemHostPersistent, memory.host_persistent_bytes);
  PutNumber(writer, kEMemAcceleratorTemp, memory.accelerator_temp_bytes);
  PutNumber(writer, kEMemAcceleratorPersistent, memory.accelerator_persistent_bytes);
  PutNumber(writer, kEMemRequested, memory.requested_bytes);
  PutNumber(writer, kEMemPeak, memory.peak_bytes);
  PutNumber(writer, kEMemResidual, memory.residual_bytes);
  PutNumber(writer, kEMemOutput, memory.output_bytes);
  PutNumber(writer, kEMemInUse, memory.bytes_in_use);
  for (const ExecMemory::Output& output : memory.outputs) {
    std::string value;
    WireWriter value_writer(value);
    PutNumber(value_writer, kOutputMemoryBytes, output.bytes);
    PutNumber(value_writer, kOutputMemoryPtr, static_cast<int64_t>(output.address));
    writer.Bytes(kEMemOutputMemory, EntryOf(output.slot, value));
  }
  return out;
}

std::string EncodeExec(const ExecProfile& exec) {
  std::string out;
  WireWriter writer(out);
  PutNumber(writer, kExecRunCount, exec.run_count);
  PutNumber(writer, kExecAllStart, exec.all_start_micros);
  PutNumber(writer, kExecLatestEnd, exec.latest_end_micros);
  for (const ExecTimes& times : exec.accelerator)
    writer.Bytes(kExecAccelerator, EncodeTimes(times));
  for (const ExecTimes& times : exec.cpu) writer.Bytes(kExecCpu, EncodeTimes(times));
  for (const std::string_view device : exec.devices) writer.Bytes(kExecDevices, device);
  for (const ExecMemory& memory : exec.memory) writer.Bytes(kExecMemory, EncodeMemory(memory));
  for (const AllocationRecord& record : exec.allocations) {
    std::string value;
    WireWriter value_writer(value);
    PutNumber(value_writer, kRecordMicros, record.micros);
    PutNumber(value_writer, kRecordBytes, record.bytes);
    writer.Bytes(kExecAllocations, value);
  }
  return out;
}

std::string EncodeFrames(const std::vector<CodeFrame>& frames) {
  std::string out;
  for (const CodeFrame& frame : frames) {
    std::string value;
    WireWriter writer(value);
    PutNumber(writer, kFrameLine, frame.line);
    PutNumber(writer, kFrameFunctionStart, frame.function_start);
    PutNumber(writer, kFrameFileId, frame.file_id);
    PutNumber(writer, kFrameFunctionId, frame.function_id);
    PutNumber(writer, kFrameTextId, frame.text_id);
    WireWriter(out).Bytes(kCodeTraces, value);
  }
  return out;
}

std::string EncodeNode(const ProfileNode& node) {
  std::string out;
  WireWriter writer(out);
  PutBytes(writer, kPNodeName, node.name);
  for (const auto& [index, id] : node.inputs) writer.Bytes(kPNodeInputs, EntryOf(index, id));
  PutBytes(writer, kPNodeShape, Packed(node.shape));
  for (const std::string_view type : node.op_types) writer.Bytes(kPNodeOpTypes, type);
  PutBytes(writer, kPNodeDevice, node.canonical_device);
  PutBytes(writer, kPNodeHostDevice, node.host_device);
  PutNumber(writer, kPNodeFloatOps, node.float_ops);
  PutBytes(writer, kPNodeOp, node.op);
  if (!node.frames.empty()) writer.Bytes(kPNodeTrace, EncodeFrames(node.frames));
  for (const Attr& attr : node.attrs) {
    std::string entry;
    WireWriter entry_writer(entry);
    entry_writer.Bytes(kKey, attr.name);
    entry_writer.Bytes(kValue, attr.value);
    writer.Bytes(kPNodeAttrs, entry);
  }
  for (const auto& [step, exec] : node.execs) {
    writer.Bytes(kPNodeExecs, EntryOf(step, EncodeExec(exec)));
  }
  PutNumber(writer, kPNodeId, node.id);
  for (const auto& [id, output] : node.source_output) {
    writer.Bytes(kPNodeSourceOutput, EntryOf(id, output));
  }
  for (const auto& [index, shape] : node.output_shapes) {
    std::string tuple;
    if (!shape.empty()) WireWriter(tuple).Bytes(kTupleValues, Packed(shape));
    writer.Bytes(kPNodeOutputShapes, EntryOf(index, tuple));
  }
  return out;
}

}  // namespace

std::string EncodeProfileProto(const ProfileProto& profile) {
  std::string out;
  WireWriter writer(out);
  for (const ProfileNode& node : profile.nodes) {
    writer.Bytes(kProfileNodes, EntryOf(node.id, EncodeNode(node)));
  }
  PutNumber(writer, kProfileHasTrace, profile.has_trace ? 1 : 0);
  PutBytes(writer, kProfileSteps, Packed(profile.steps));
  for (const auto& [id, text] : profile.strings) writer.Bytes(kProfileStrings, EntryOf(id, text));
  PutNumber(writer, kProfileMissStream, profile.miss_accelerator_stream ? 1 : 0);
  return out;
}

}  // namespace stepscope
