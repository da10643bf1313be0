#pragma once

#include <cstdint>

// Field numbers of tfprof_log.proto, one table per message.
namespace stepscope::fields {

enum ProfileField : uint32_t {
  kProfileNodes = 1,
  kProfileHasTrace = 2,
  kProfileSteps = 3,
  kProfileStrings = 4,
  kProfileMissStream = 5
};
enum ProfileNodeField : uint32_t {
  kPNodeName = 1,
  kPNodeInputs = 2,
  kPNodeShape = 4,
  kPNodeOpTypes = 5,
  kPNodeDevice = 6,
  kPNodeHostDevice = 7,
  kPNodeFloatOps = 8,
  kPNodeOp = 9,
  kPNodeTrace = 10,
  kPNodeAttrs = 11,
  kPNodeExecs = 12,
  kPNodeId = 13,
  kPNodeSourceOutput = 14,
  kPNodeOutputShapes = 15
};
enum ExecField : uint32_t {
  kExecRunCount = 1,
  kExecAllStart = 2,
  kExecLatestEnd = 3,
  kExecAccelerator = 4,
  kExecCpu = 5,
  kExecDevices = 6,
  kExecMemory = 7,
  kExecAllocations = 11
};
enum ExecTimeField : uint32_t { kExecTimes = 1 };
enum TupleField : uint32_t { kTupleValues = 1 };
enum ExecMemoryField : uint32_t {
  kEMemMicros = 1,
  kEMemHostTemp = 2,
  kEMemHostPersistent = 3,
  kEMemAcceleratorTemp = 4,
  kEMemAcceleratorPersistent = 5,
  kEMemRequested = 6,
  kEMemPeak = 7,
  kEMemResidual = 8,
  kEMemOutput = 9,
  kEMemInUse = 10,
  kEMemOutputMemory = 11
};
enum OutputMemoryField : uint32_t { kOutputMemoryBytes = 1, kOutputMemoryPtr = 2 };
enum CodeTraceField : uint32_t {
  kCodeTraces = 1,
  kFrameLine = 2,
  kFrameFunctionStart = 5,
  kFrameFileId = 6,
  kFrameFunctionId = 7,
  kFrameTextId = 8
};

}  // namespace stepscope::fields
