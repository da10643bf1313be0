#pragma once

#include <cstdint>

// Field numbers of the messages of an XSpace, one table per message
// (tsl/profiler/protobuf/xplane.proto and xla/service/hlo.proto). Nothing else of those schemas is
// needed, so no code is generated.
namespace stepscope::xplane {

namespace space_field {
inline constexpr uint32_t kPlanes = 1, kErrors = 2, kWarnings = 3, kHostnames = 4;
}
namespace plane_field {
inline constexpr uint32_t kId = 1, kName = 2, kLines = 3, kEventMetadata = 4, kStatMetadata = 5,
                          kStats = 6;
}
namespace line_field {
inline constexpr uint32_t kId = 1, kName = 2, kTimestampNs = 3, kEvents = 4, kDurationPs = 9,
                          kDisplayId = 10, kDisplayName = 11;
}
namespace event_field {
inline constexpr uint32_t kMetadataId = 1, kOffsetPs = 2, kDurationPs = 3, kStats = 4,
                          kNumOccurrences = 5;
}
namespace stat_field {
inline constexpr uint32_t kMetadataId = 1, kDouble = 2, kUint64 = 3, kInt64 = 4, kString = 5,
                          kBytes = 6, kReference = 7;
}
namespace map_field {  // entries of event_metadata and stat_metadata
inline constexpr uint32_t kKey = 1, kValue = 2;
}
namespace event_metadata_field {
inline constexpr uint32_t kId = 1, kName = 2, kMetadata = 3, kDisplayName = 4, kStats = 5,
                          kChildId = 6;
}
namespace stat_metadata_field {
inline constexpr uint32_t kId = 1, kName = 2, kDescription = 3;
}

namespace hlo_field {
inline constexpr uint32_t kModule = 1;  // HloProto
inline constexpr uint32_t kModuleName = 1, kComputations = 3, kModuleId = 5,
                          kStackFrameIndex = 17;                  // HloModuleProto
inline constexpr uint32_t kInstructions = 2, kComputationId = 5;  // HloComputationProto
inline constexpr uint32_t kInstructionName = 1, kOpcode = 2, kShape = 3, kMetadata = 7,
                          kConvolutionDimensions = 16, kChannelId = 26, kCustomCallTarget = 28,
                          kDotDimensions = 30, kInstructionId = 35, kOperandIds = 36,
                          kCalledIds = 38,
                          kBackendConfig = 43;  // HloInstructionProto
inline constexpr uint32_t kElementType = 2, kDimensions = 3, kTupleShapes = 4;  // ShapeProto
inline constexpr uint32_t kLeftContracting = 1;      // DotDimensionNumbers
inline constexpr uint32_t kKernelOutputFeature = 4;  // ConvolutionDimensionNumbers
inline constexpr uint32_t kOpType = 1, kOpName = 2, kSourceFile = 3, kSourceLine = 4,
                          kStackFrameId = 15;  // OpMetadata
inline constexpr uint32_t kFileNames = 1, kFunctionNames = 2, kFileLocations = 3,
                          kStackFrames = 4;  // StackFrameIndexProto
inline constexpr uint32_t kLocationFile = 1, kLocationFunction = 2, kLocationLine = 3;
inline constexpr uint32_t kFrameLocation = 1, kFrameParent = 2;
}  // namespace hlo_field

}  // namespace stepscope::xplane
