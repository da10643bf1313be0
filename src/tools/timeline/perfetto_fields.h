#pragma once

#include <cstdint>

// Field numbers of Perfetto's trace protos, one table per message.
namespace stepscope::perfetto {

enum TraceField : uint32_t { kTracePacket = 1 };
enum PacketField : uint32_t {
  kPacketTimestamp = 8,
  kPacketSequence = 10,
  kPacketTrackEvent = 11,
  kPacketInterned = 12,
  kPacketSequenceFlags = 13,
  kPacketTrackDescriptor = 60
};
enum SequenceFlag : uint32_t { kStateCleared = 1, kNeedsState = 2 };
enum TrackField : uint32_t {
  kTrackUuid = 1,
  kTrackName = 2,
  kTrackProcess = 3,
  kTrackThread = 4,
  kTrackParent = 5,
  kTrackCounter = 8
};
enum ProcessField : uint32_t {
  kProcessPid = 1,
  kProcessSortIndex = 3,
  kProcessName = 6,
  kProcessLabels = 8
};
enum ThreadField : uint32_t { kThreadPid = 1, kThreadTid = 2, kThreadName = 5 };
enum EventField : uint32_t {
  kEventCategoryIid = 3,
  kEventAnnotation = 4,
  kEventType = 9,
  kEventNameIid = 10,
  kEventTrack = 11,
  kEventCounterValue = 30,
  kEventDoubleValue = 44,
  kEventFlow = 47,
  kEventEndingFlow = 48
};
enum EventType : uint32_t { kSliceBegin = 1, kSliceEnd = 2, kInstant = 3, kCounter = 4 };
enum InternedField : uint32_t {
  kInternedCategory = 1,
  kInternedName = 2,
  kInternedAnnotationName = 3
};
enum InternedStringField : uint32_t { kIid = 1, kText = 2 };
enum AnnotationField : uint32_t {
  kAnnotationNameIid = 1,
  kAnnotationInt = 4,
  kAnnotationString = 6
};

}  // namespace stepscope::perfetto
