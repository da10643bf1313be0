#pragma once

#include <cstdint>

// Field numbers of Perfetto's trace protos, one table per message.
namespace stepscope::perfetto {

enum TraceField : uint32_t { kTracePacket = 1 };
enum PacketField : uint32_t {
  kPacketFtrace = 1,
  kPacketProcessTree = 2,
  kPacketClockSnapshot = 6,
  kPacketTimestamp = 8,
  kPacketSequence = 10,
  kPacketTrackEvent = 11,
  kPacketInterned = 12,
  kPacketSequenceFlags = 13,
  kPacketStateCleared = 41,
  kPacketDropped = 42,
  kPacketProcessDescriptor = 43,
  kPacketThreadDescriptor = 44,
  kPacketDeflated = 50,
  kPacketGpuCounters = 52,
  kPacketRenderStage = 53,
  kPacketStreamingProfile = 54,
  kPacketClock = 58,
  kPacketDefaults = 59,
  kPacketTrackDescriptor = 60,
  kPacketPerfSample = 66,
  kPacketZstd = 133
};
enum SequenceFlag : uint32_t { kStateCleared = 1, kNeedsState = 2 };
enum SnapshotField : uint32_t { kSnapshotClock = 1, kSnapshotPrimary = 2 };
enum ClockField : uint32_t {
  kClockId = 1,
  kClockTimestamp = 2,
  kClockIncremental = 3,
  kClockMultiplier = 4
};
enum ClockId : uint32_t {
  kRealtime = 1,
  kBoottime = 6,
  kFirstLocalClock = 64,
  kLastLocalClock = 127
};
enum TrackField : uint32_t {
  kTrackUuid = 1,
  kTrackName = 2,
  kTrackProcess = 3,
  kTrackThread = 4,
  kTrackParent = 5,
  kTrackCounter = 8,
  kTrackStaticName = 10,
  kTrackAtraceName = 13
};
enum CounterField : uint32_t {
  kCounterType = 1,
  kCounterUnit = 3,
  kCounterMultiplier = 4,
  kCounterIncremental = 5,
  kCounterUnitName = 6
};
enum ProcessField : uint32_t {
  kProcessPid = 1,
  kProcessCmdline = 2,
  kProcessSortIndex = 3,
  kProcessName = 6,
  kProcessLabels = 8
};
enum ThreadField : uint32_t {
  kThreadPid = 1,
  kThreadTid = 2,
  kThreadName = 5,
  kThreadReferenceUs = 6
};
enum EventField : uint32_t {
  kEventDeltaUs = 1,
  kEventCategoryIid = 3,
  kEventAnnotation = 4,
  kEventLegacy = 6,
  kEventType = 9,
  kEventNameIid = 10,
  kEventTrack = 11,
  kEventExtraValues = 12,
  kEventAbsoluteUs = 16,
  kEventCategory = 22,
  kEventName = 23,
  kEventCounterValue = 30,
  kEventExtraTracks = 31,
  kEventOldFlow = 36,
  kEventOldEndingFlow = 42,
  kEventDoubleValue = 44,
  kEventExtraDoubleTracks = 45,
  kEventExtraDoubleValues = 46,
  kEventFlow = 47,
  kEventEndingFlow = 48,
  kEventGpuLink = 3000,
  kEventGpuApi = 3001
};
enum GpuLinkField : uint32_t { kLinkSubmitted = 1, kLinkWaited = 2 };
enum LegacyField : uint32_t {
  kLegacyNameIid = 1,
  kLegacyPhase = 2,
  kLegacyDurationUs = 3,
  kLegacyUnscopedId = 6,
  kLegacyLocalId = 10,
  kLegacyGlobalId = 11,
  kLegacyPid = 18,
  kLegacyTid = 19
};
enum EventType : uint32_t { kSliceBegin = 1, kSliceEnd = 2, kInstant = 3, kCounter = 4 };
enum InternedField : uint32_t {
  kInternedCategory = 1,
  kInternedName = 2,
  kInternedAnnotationName = 3,
  kInternedContext = 23,
  kInternedGpuSpecification = 24,
  kInternedString = 29,
  kInternedGpuCounters = 47,
  kInternedKernel = 1000
};
enum InternedStringField : uint32_t { kIid = 1, kText = 2 };
enum KernelField : uint32_t { kKernelMangled = 2, kKernelDemangled = 3 };
enum DefaultsField : uint32_t { kDefaultsEvent = 11 };
enum AnnotationField : uint32_t {
  kAnnotationNameIid = 1,
  kAnnotationBool = 2,
  kAnnotationUint = 3,
  kAnnotationInt = 4,
  kAnnotationDouble = 5,
  kAnnotationString = 6,
  kAnnotationPointer = 7,
  kAnnotationNested = 8,
  kAnnotationJson = 9,
  kAnnotationName = 10,
  kAnnotationDictEntry = 11,
  kAnnotationArrayItem = 12,
  kAnnotationStringIid = 17
};
// The older way to nest values.
enum NestedField : uint32_t {
  kNestedType = 1,
  kNestedKey = 2,
  kNestedDictValue = 3,
  kNestedArrayValue = 4,
  kNestedInt = 5,
  kNestedDouble = 6,
  kNestedBool = 7,
  kNestedString = 8
};
enum RenderStageField : uint32_t {
  kStageEventId = 1,
  kStageDuration = 2,
  kStageQueueId = 4,
  kStageContext = 5,
  kStageExtra = 6,
  kStageSubmission = 10,
  kStageGpu = 11,
  kStageQueue = 13,
  kStageStage = 14,
  kStageName = 17,
  kStageKernel = 19,
  kStageNameIid = 20,
  kStageLaunch = 21
};
enum ExtraField : uint32_t { kExtraName = 1, kExtraValue = 2 };
enum LaunchField : uint32_t { kLaunchGrid = 1, kLaunchWorkgroup = 2 };
enum GpuCounterField : uint32_t {
  kGpuCounterDescriptor = 1,
  kGpuCounterValues = 2,
  kGpuCounterGpu = 3,
  kGpuCounterDescriptorIid = 4
};
enum FtraceField : uint32_t { kFtraceCpu = 1, kFtraceEvent = 2, kFtraceCompactSched = 4 };
enum FtraceEventField : uint32_t {
  kFtraceTimestamp = 1,
  kFtracePid = 2,
  kFtracePrint = 3,
  kFtraceSwitch = 4,
  kFtraceCommonFlags = 5,
  kFtraceCpuFrequency = 11
};
enum PrintField : uint32_t { kPrintText = 2 };
enum CpuFrequencyField : uint32_t { kFrequencyKhz = 1, kFrequencyCpu = 2 };
// A GpuCounterDescriptor that a sequence names by a number.
enum InternedGpuCountersField : uint32_t { kGpuCountersDescriptor = 2, kGpuCountersGpu = 3 };
enum SwitchField : uint32_t { kSwitchNextComm = 5, kSwitchNextPid = 6 };
enum CompactSchedField : uint32_t {
  kCompactTimestamp = 1,
  kCompactNextPid = 3,
  kCompactComms = 5,
  kCompactNextComm = 6
};
enum ProcessTreeField : uint32_t { kTreeProcess = 1, kTreeThread = 2 };

}  // namespace stepscope::perfetto
