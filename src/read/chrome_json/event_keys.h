#pragma once

#include <cstdint>
#include <cstring>
#include <string_view>

#include "read/chrome_json/key_table.h"
#include "read/chrome_json/raw_event.h"

namespace stepscope::chrome_json {

// A member of an event that the reader keeps; all others are skipped.
enum class Field : uint8_t {
  kPhase,
  kCategory,
  kName,
  kProcess,
  kThread,
  kTime,
  kDuration,
  kArgs,
  kId,
  kScopedId,
  kBindId,
  kScope,
  kBindingPoint,
  kFlowIn,
  kFlowOut,
  kNone,
};

inline constexpr KeyWord<Field> kFieldWords[] = {
    {"ph", Field::kPhase},        {"cat", Field::kCategory},   {"name", Field::kName},
    {"pid", Field::kProcess},     {"tid", Field::kThread},     {"ts", Field::kTime},
    {"dur", Field::kDuration},    {"args", Field::kArgs},      {"id", Field::kId},
    {"id2", Field::kScopedId},    {"bind_id", Field::kBindId}, {"scope", Field::kScope},
    {"bp", Field::kBindingPoint}, {"flow_in", Field::kFlowIn}, {"flow_out", Field::kFlowOut},
};
inline constexpr KeyTable kFieldKeys(kFieldWords);

inline constexpr KeyWord<Arg> kArgWords[] = {
    {"External id", Arg::kExternalId},
    {"external id", Arg::kExternalId},
    {"correlation", Arg::kCorrelation},
    {"correlation_id", Arg::kCorrelation},
    {"Sequence number", Arg::kSequence},
    {"Fwd thread id", Arg::kForwardThread},
    {"device", Arg::kDevice},
    {"device_id", Arg::kDevice},
    {"stream", Arg::kStream},
    {"bytes", Arg::kBytes},
    {"registers per thread", Arg::kRegisters},
    {"shared memory", Arg::kSharedMemory},
    {"graph node id", Arg::kGraphNode},
    {"cuda_graph_node_id", Arg::kGraphNode},
    {"Python id", Arg::kPythonId},
    {"Python parent id", Arg::kPythonParent},
    {"Python module id", Arg::kPythonModule},
    {"In msg nelems", Arg::kInElements},
    {"Out msg nelems", Arg::kOutElements},
    {"In msg size", Arg::kInElements},
    {"Out msg size", Arg::kOutElements},
    {"Group size", Arg::kGroupSize},
    {"Seq", Arg::kCollectiveSequence},
    {"Comms Id", Arg::kCollectiveId},
    {"Src Rank", Arg::kSourceRank},
    {"Dst Rank", Arg::kDestinationRank},
    {"Global rank start", Arg::kGroupStart},
    {"Global rank stride", Arg::kGroupStride},
    {"Device Type", Arg::kDeviceType},
    {"Device Id", Arg::kDeviceId},
    {"Addr", Arg::kAddress},
    {"Bytes", Arg::kAllocatedBytes},
    {"Total Allocated", Arg::kTotalAllocated},
    {"Total Reserved", Arg::kTotalReserved},
    {"sort_index", Arg::kSortIndex},
    {"step_num", Arg::kStepNumber},
    {"blocks per SM", Arg::kBlocksPerSm},
    {"est. achieved occupancy %", Arg::kOccupancy},
    {"Input Dims", Arg::kInputDims},
    {"Input dims", Arg::kInputDims},
    {"Input type", Arg::kInputTypes},
    {"input_type_shape", Arg::kOrtShapes},
    {"grid", Arg::kGrid},
    {"block", Arg::kBlock},
    {"Call stack", Arg::kCallStack},
    {"Module Hierarchy", Arg::kModules},
    {"Collective name", Arg::kCollectiveName},
    {"dtype", Arg::kDtype},
    {"Process Group Name", Arg::kGroupName},
    {"Process Group Description", Arg::kGroupDescription},
    {"Process Group Ranks", Arg::kGroupRanks},
    {"finished", Arg::kFinished},
    {"name", Arg::kName},
    {"labels", Arg::kLabels},
    {"op", Arg::kOp},
    {"op_name", Arg::kOpName},
    {"long_name", Arg::kLongName},
    {"kernel_details", Arg::kKernelDetails},
    {"memcpy_details", Arg::kMemcpyDetails},
    {"hlo_op", Arg::kHloOp},
    {"tf_op", Arg::kTfOp},
    {"group_name", Arg::kGroupName},
    {"est. achieved occupancy", Arg::kOccupancy},
};
inline constexpr KeyTable kArgKeys(kArgWords);

}  // namespace stepscope::chrome_json
