#include "read/graph_def/graph_def_fields.h"
#include "read/protobuf/walk.h"
#include "read/run_metadata/run_metadata_fields.h"
#include "tools/tfprof/profile_proto/profile_proto.h"
#include "tools/tfprof/profile_proto/profile_proto_fields.h"

namespace stepscope {
namespace {

using namespace fields;

class Parser {
 public:
  explicit Parser(MessageFaults& faults) : faults_(faults) {}

  void Profile(std::string_view bytes, ProfileProto& profile) {
    WalkMessage(bytes, "ProfileProto", faults_, [&](const WireReader& r) {
      switch (r.field()) {
        case kProfileNodes: {
          ProfileNode node;
          if (Node(MapValue(r.Bytes()).second, node) && !r.cut()) {
            profile.nodes.push_back(std::move(node));
          } else {
            faults_.Dropped(r.Bytes(), "ProfileNode " + std::string(node.name));
          }
          break;
        }
        case kProfileHasTrace:
          profile.has_trace = r.Bool();
          break;
        case kProfileSteps:
          AppendIntegers(r, profile.steps);
          break;
        case kProfileStrings:
          profile.strings.push_back(ParseStringById(r.Bytes(), faults_));
          break;
        case kProfileMissStream:
          profile.miss_accelerator_stream = r.Bool();
          break;
        default:
          break;
      }
    });
  }

 private:
  // Key and value of a map<int, message>.
  std::pair<int64_t, std::string_view> MapValue(std::string_view entry) {
    std::pair<int64_t, std::string_view> item{0, {}};
    WalkMessage(entry, "map entry", faults_, [&](const WireReader& r) {
      if (r.field() == kKey) item.first = r.Signed();
      if (r.field() == kValue) item.second = r.Bytes();
    });
    return item;
  }

  std::pair<int64_t, int64_t> MapNumber(std::string_view entry) {
    std::pair<int64_t, int64_t> item{0, 0};
    WalkMessage(entry, "map entry", faults_, [&](const WireReader& r) {
      if (r.field() == kKey) item.first = r.Signed();
      if (r.field() == kValue) item.second = r.Signed();
    });
    return item;
  }

  bool Node(std::string_view bytes, ProfileNode& node) {
    return WalkMessage(bytes, "ProfileNode", faults_, [&](const WireReader& r) {
      switch (r.field()) {
        case kPNodeName:
          node.name = r.Bytes();
          break;
        case kPNodeInputs: {
          const auto [index, id] = MapNumber(r.Bytes());
          node.inputs.emplace_back(static_cast<int32_t>(index), id);
          break;
        }
        case kPNodeShape:
          AppendIntegers(r, node.shape);
          break;
        case kPNodeOpTypes:
          node.op_types.push_back(r.Bytes());
          break;
        case kPNodeDevice:
          node.canonical_device = r.Bytes();
          break;
        case kPNodeHostDevice:
          node.host_device = r.Bytes();
          break;
        case kPNodeFloatOps:
          node.float_ops = r.Signed();
          break;
        case kPNodeOp:
          node.op = r.Bytes();
          break;
        case kPNodeTrace:
          node.frames = ParseCodeFrames(r.Bytes(), faults_);
          break;
        case kPNodeAttrs:
          node.attrs.push_back(ParseAttr(r.Bytes()));
          break;
        case kPNodeExecs: {
          const auto [step, exec] = MapValue(r.Bytes());
          node.execs.emplace_back(step, Exec(exec));
          break;
        }
        case kPNodeId:
          node.id = r.Signed();
          break;
        case kPNodeSourceOutput: {
          const auto [id, output] = MapNumber(r.Bytes());
          node.source_output.emplace_back(id, static_cast<int32_t>(output));
          break;
        }
        case kPNodeOutputShapes: {
          const auto [index, tuple] = MapValue(r.Bytes());
          node.output_shapes.emplace_back(static_cast<int32_t>(index), Tuple(tuple));
          break;
        }
        default:
          break;
      }
    });
  }

  Attr ParseAttr(std::string_view bytes) {
    Attr attr;
    WalkMessage(bytes, "attrs", faults_, [&](const WireReader& r) {
      if (r.field() == kKey) attr.name = r.Bytes();
      if (r.field() == kValue) attr.value = r.Bytes();
    });
    return attr;
  }

  std::vector<int64_t> Tuple(std::string_view bytes) {
    std::vector<int64_t> values;
    WalkMessage(bytes, "Tuple", faults_, [&](const WireReader& r) {
      if (r.field() == kTupleValues) AppendIntegers(r, values);
    });
    return values;
  }

  ExecProfile Exec(std::string_view bytes) {
    ExecProfile exec;
    WalkMessage(bytes, "ExecProfile", faults_, [&](const WireReader& r) {
      switch (r.field()) {
        case kExecRunCount:
          exec.run_count = r.Signed();
          break;
        case kExecAllStart:
          exec.all_start_micros = r.Signed();
          break;
        case kExecLatestEnd:
          exec.latest_end_micros = r.Signed();
          break;
        case kExecAccelerator:
          exec.accelerator.push_back(Times(r.Bytes()));
          break;
        case kExecCpu:
          exec.cpu.push_back(Times(r.Bytes()));
          break;
        case kExecDevices:
          exec.devices.push_back(r.Bytes());
          break;
        case kExecMemory:
          exec.memory.push_back(Memory(r.Bytes()));
          break;
        case kExecAllocations:
          exec.allocations.push_back(Allocation(r.Bytes()));
          break;
        default:
          break;
      }
    });
    return exec;
  }

  ExecTimes Times(std::string_view bytes) {
    ExecTimes times;
    std::string_view value;
    WalkMessage(bytes, "execs", faults_, [&](const WireReader& r) {
      if (r.field() == kKey) times.device = r.Bytes();
      if (r.field() == kValue) value = r.Bytes();
    });
    WalkMessage(value, "ExecTime", faults_, [&](const WireReader& r) {
      if (r.field() != kExecTimes) return;
      const std::vector<int64_t> pair = Tuple(r.Bytes());
      if (pair.size() >= 2) times.times.emplace_back(pair[0], pair[1]);
    });
    return times;
  }

  AllocationRecord Allocation(std::string_view bytes) {
    AllocationRecord record;
    WalkMessage(bytes, "AllocationRecord", faults_, [&](const WireReader& r) {
      if (r.field() == kRecordMicros) record.micros = r.Signed();
      if (r.field() == kRecordBytes) record.bytes = r.Signed();
    });
    return record;
  }

  ExecMemory Memory(std::string_view bytes) {
    ExecMemory memory;
    WalkMessage(bytes, "ExecMemory", faults_, [&](const WireReader& r) {
      switch (r.field()) {
        case kEMemMicros:
          memory.micros = r.Signed();
          break;
        case kEMemHostTemp:
          memory.host_temp_bytes = r.Signed();
          break;
        case kEMemHostPersistent:
          memory.host_persistent_bytes = r.Signed();
          break;
        case kEMemAcceleratorTemp:
          memory.accelerator_temp_bytes = r.Signed();
          break;
        case kEMemAcceleratorPersistent:
          memory.accelerator_persistent_bytes = r.Signed();
          break;
        case kEMemRequested:
          memory.requested_bytes = r.Signed();
          break;
        case kEMemPeak:
          memory.peak_bytes = r.Signed();
          break;
        case kEMemResidual:
          memory.residual_bytes = r.Signed();
          break;
        case kEMemOutput:
          memory.output_bytes = r.Signed();
          break;
        case kEMemInUse:
          memory.bytes_in_use = r.Signed();
          break;
        case kEMemOutputMemory:
          memory.outputs.push_back(OutputMemory(r.Bytes()));
          break;
        default:
          break;
      }
    });
    return memory;
  }

  ExecMemory::Output OutputMemory(std::string_view bytes) {
    const auto [slot, value] = MapValue(bytes);
    ExecMemory::Output output{static_cast<int32_t>(slot), 0, 0};
    WalkMessage(value, "Memory", faults_, [&](const WireReader& r) {
      if (r.field() == kOutputMemoryBytes) output.bytes = r.Signed();
      if (r.field() == kOutputMemoryPtr) output.address = r.Unsigned();
    });
    return output;
  }

  MessageFaults& faults_;
};

}  // namespace

Result<ProfileProto> ParseProfileProto(const FileBytes& file, const std::string& path,
                                       Diagnostics& diagnostics) {
  const std::string_view bytes(file.bytes().data(), file.bytes().size());
  MessageFaults faults(bytes, diagnostics);
  ProfileProto profile;
  profile.owner = std::make_shared<FileBytes>(file);
  Parser(faults).Profile(bytes, profile);
  if (profile.nodes.empty() && diagnostics.CountOf(Diagnostic::kMalformedProtobuf) > 0) {
    return Fail(ErrorCode::kDamaged, "this is not a ProfileProto", path,
                "give a file that tf.profiler.Profiler.serialize_to_string() or ProfileContext "
                "wrote");
  }
  return profile;
}

Result<ProfileProto> ReadProfileProto(const std::string& path, Diagnostics& diagnostics) {
  Result<FileBytes> bytes = ReadWhole(path);
  if (!bytes) return std::unexpected(std::move(bytes.error()));
  return ParseProfileProto(*bytes, path, diagnostics);
}

}  // namespace stepscope
