#include <string>
#include <vector>

#include "read/chrome_json/categories.h"
#include "read/perfetto/event_args.h"
#include "read/perfetto/packet_fields.h"
#include "read/perfetto/packet_reader.h"
#include "read/protobuf/packed.h"
#include "read/protobuf/wire.h"

namespace stepscope::perfetto {

// A TrackEvent, with what older writers put into a message of its own.
struct PacketReader::Event {
  uint64_t type = 0;
  StringId name = kEmptyString;
  Kind kind = Kind::kOther;
  std::optional<uint64_t> track;
  EventArgs args;
  std::optional<int64_t> value;
  std::optional<double> real_value;
  std::vector<int64_t> extra_values;
  std::vector<double> extra_reals;
  std::vector<uint64_t> extra_tracks;
  std::vector<uint64_t> extra_real_tracks;
  struct FlowEnd {
    uint64_t id;
    bool terminates;
  };
  std::vector<FlowEnd> flows;
  std::optional<int64_t> time;  // older writers have it here
  int64_t duration = -1;
  std::optional<int64_t> pid;
  std::optional<int64_t> tid;
  std::optional<uint64_t> async_id;

  void Clear() {
    type = 0;
    name = kEmptyString;
    kind = Kind::kOther;
    if (args.any) args = {};
    duration = -1;
    track.reset();
    value.reset();
    real_value.reset();
    time.reset();
    pid.reset();
    tid.reset();
    async_id.reset();
    extra_values.clear();
    extra_reals.clear();
    extra_tracks.clear();
    extra_real_tracks.clear();
    flows.clear();
  }
};

namespace {

uint64_t TypeOfPhase(uint64_t phase) {
  switch (phase) {
    case 'B':
    case 'b':
    case 'S':
      return kSliceBegin;
    case 'E':
    case 'e':
    case 'F':
      return kSliceEnd;
    case 'I':
    case 'i':
    case 'R':
    case 'n':
    case 'T':
    case 'p':
      return kInstant;
    default:
      return 0;
  }
}

}  // namespace

PacketReader::PacketReader(EventBlock& block, bool joins)
    : out_(block),
      tracks_(out_),
      open_slices_(out_),
      joins_(joins),
      event_(std::make_unique<Event>()) {}

PacketReader::~PacketReader() = default;

void PacketReader::ParseLegacy(std::string_view message, const Sequence& sequence, Event& event) {
  for (WireReader field(message); field.Next();) {
    switch (field.field()) {
      case kLegacyNameIid:
        event.name = sequence.names.Get(field.Unsigned());
        break;
      case kLegacyPhase:
        if (event.type == 0) event.type = TypeOfPhase(field.Unsigned());
        if (field.Unsigned() == 'X' && event.duration < 0) event.duration = 0;
        break;
      case kLegacyDurationUs:
        if (__builtin_mul_overflow(field.Signed(), int64_t{1000}, &event.duration)) {
          event.duration = 0;
        }
        break;
      case kLegacyUnscopedId:
      case kLegacyLocalId:
      case kLegacyGlobalId:
        event.async_id = field.Unsigned();
        break;
      case kLegacyPid:
        event.pid = field.Signed();
        break;
      case kLegacyTid:
        event.tid = field.Signed();
        break;
      default:
        break;
    }
  }
}

void PacketReader::ParseEvent(std::string_view message, const Sequence& sequence, Event& event) {
  std::vector<uint64_t>& numbers = numbers_;
  for (PacketFields field(message); field.Next();) {
    switch (field.field()) {
      case kEventType:
        event.type = field.Unsigned();
        break;
      case kEventTrack:
        event.track = field.Unsigned();
        break;
      case kEventNameIid:
        event.name = sequence.names.Get(field.Unsigned());
        break;
      case kEventName:
        event.name = out_.Intern(field.Bytes());
        break;
      case kEventCategoryIid:
        numbers.clear();
        AppendVarints(field, numbers);
        for (const uint64_t iid : numbers) {
          if (event.kind == Kind::kOther) event.kind = sequence.categories.Get(iid).kind;
        }
        break;
      case kEventCategory:
        if (event.kind == Kind::kOther) event.kind = KindOfCategory(field.Bytes());
        break;
      case kEventAnnotation:
        event.args.Add(field.Bytes(), sequence, out_);
        break;
      case kEventCounterValue:
        event.value = field.Signed();
        break;
      case kEventDoubleValue:
        event.real_value = field.Double();
        break;
      case kEventExtraValues:
        numbers.clear();
        AppendVarints(field, numbers);
        for (const uint64_t value : numbers) {
          event.extra_values.push_back(static_cast<int64_t>(value));
        }
        break;
      case kEventExtraDoubleValues:
        event.extra_reals.push_back(field.Double());
        break;
      case kEventExtraTracks:
        AppendVarints(field, event.extra_tracks);
        break;
      case kEventExtraDoubleTracks:
        AppendVarints(field, event.extra_real_tracks);
        break;
      case kEventFlow:
      case kEventOldFlow:
        event.flows.push_back({field.Unsigned(), false});
        break;
      case kEventEndingFlow:
      case kEventOldEndingFlow:
        event.flows.push_back({field.Unsigned(), true});
        break;
      case kEventLegacy:
        ParseLegacy(field.Bytes(), sequence, event);
        break;
      case kEventAbsoluteUs: {
        int64_t ns = 0;
        if (!__builtin_mul_overflow(field.Signed(), int64_t{1000}, &ns)) event.time = ns;
        break;
      }
      case kEventDeltaUs: {
        int64_t ns = 0;
        if (!__builtin_mul_overflow(field.Signed(), int64_t{1000}, &ns) &&
            !__builtin_add_overflow(ns, sequence.reference_ns, &ns)) {
          event.time = ns;
        }
        break;
      }
      case kEventGpuLink:
        for (WireReader link(field.Bytes()); link.Next();) {
          if (link.field() != kLinkSubmitted) continue;
          event.kind = Kind::kCall;
          event.flows.push_back({link.Unsigned() | kStageFlow, false});
          event.args.call.correlation = link.Unsigned() + 1;
          event.args.any = true;
        }
        break;
      case kEventGpuApi:
        event.kind = Kind::kCall;
        break;
      default:
        break;
    }
  }
}

uint32_t PacketReader::TrackOf(const Event& event, const Sequence& sequence) {
  if (event.tid) return tracks_.UseThread(event.pid.value_or(sequence.pid), *event.tid);
  if (event.track && *event.track != 0) return tracks_.Use(*event.track);
  if (!event.track && sequence.has_default_track) return tracks_.Use(sequence.default_track);
  if (sequence.has_thread) return tracks_.UseThread(sequence.pid, sequence.tid);
  return tracks_.Use(event.track.value_or(0));
}

void PacketReader::StoreCounter(uint64_t uuid, double value, int64_t time) {
  const StringId name = tracks_.CounterName(uuid);
  out_.Counter(time, value, name, name, tracks_.Use(uuid));
}

void PacketReader::StoreExtraCounters(const Event& event, const Sequence& sequence, int64_t time) {
  const auto& tracks = event.extra_tracks.empty() ? sequence.extra_tracks : event.extra_tracks;
  for (size_t i = 0; i < event.extra_values.size() && i < tracks.size(); ++i) {
    Tracks::Counter& counter = tracks_.CounterOf(tracks[i]);
    int64_t value = 0;
    if (__builtin_mul_overflow(event.extra_values[i], counter.multiplier, &value)) continue;
    if (counter.incremental) {
      if (__builtin_add_overflow(counter.sum, value, &counter.sum)) continue;
      value = counter.sum;
    }
    StoreCounter(tracks[i], static_cast<double>(value), time);
  }
  const auto& reals =
      event.extra_real_tracks.empty() ? sequence.extra_double_tracks : event.extra_real_tracks;
  for (size_t i = 0; i < event.extra_reals.size() && i < reals.size(); ++i) {
    StoreCounter(reals[i], event.extra_reals[i], time);
  }
}

void PacketReader::StoreEvent(const Event& event, const Sequence& sequence, uint32_t track,
                              int64_t time) {
  const Kind kind = chrome_json::KindByName(event.kind, out_.block().strings[event.name]);
  if (event.duration >= 0) {
    out_.Span(time, event.duration, event.name, track, kind, event.args.Store(kind, out_));
  } else if (event.type == kSliceBegin) {
    const uint32_t args = event.args.Store(kind, out_);
    joins_ ? open_slices_.Begin(track, time, event.name, kind, args)
           : out_.Half(time, event.name, track, kind, true, args);
  } else if (event.type == kSliceEnd) {
    joins_ ? open_slices_.End(track, time, event.name)
           : out_.Half(time, event.name, track, kind, false);
  } else if (event.type == kInstant) {
    out_.Instant(time, event.name, track);
  } else if (event.type == kCounter) {
    const uint64_t uuid = event.track.value_or(sequence.default_track);
    Tracks::Counter& counter = tracks_.CounterOf(uuid);
    if (event.real_value) {
      StoreCounter(uuid, *event.real_value, time);
    } else {
      int64_t value = 0;
      const bool fits =
          !__builtin_mul_overflow(event.value.value_or(0), counter.multiplier, &value);
      if (counter.incremental && fits &&
          !__builtin_add_overflow(counter.sum, value, &counter.sum)) {
        value = counter.sum;
      }
      StoreCounter(uuid, static_cast<double>(value), time);
    }
  } else {
    out_.Diagnose(Diagnostic::kUnknownPhase);
  }
}

void PacketReader::ReadTrackEvent(const Packet& packet, Sequence& sequence) {
  out_.BeginEvent();
  if (sequence.lost && (packet.flags & kNeedsState) != 0) {
    ++lost_packets_;
    return out_.Diagnose(Diagnostic::kProfileReportsLoss);
  }
  Event& event = *event_;
  event.Clear();
  ParseEvent(packet.payload, sequence, event);
  const std::optional<int64_t> time = event.time ? event.time : TimeOf(packet, sequence);
  if (!time) return out_.Diagnose(Diagnostic::kEventWithoutTime);
  const uint32_t track = TrackOf(event, sequence);
  StoreEvent(event, sequence, track, *time);
  StoreExtraCounters(event, sequence, *time);
  // A flow at the end of a slice belongs to the slice that ends.
  const int64_t bound = event.type == kSliceEnd && *time > 0 ? *time - 1 : *time;
  for (const Event::FlowEnd& flow : event.flows) {
    flows_.Add(flow.id, bound, track, out_.event(), flow.terminates);
  }
}

void PacketReader::ReadRenderStage(const Packet& packet, const Sequence& sequence) {
  out_.BeginEvent();
  const std::optional<int64_t> time = TimeOf(packet, sequence);
  if (!time) return out_.Diagnose(Diagnostic::kEventWithoutTime);
  uint64_t event_id = 0, duration = 0, queue = 0;
  StringId stage = kEmptyString, name = kEmptyString, kernel = kEmptyString, row = kEmptyString;
  DeviceArgs args;
  for (WireReader field(packet.payload); field.Next();) {
    switch (field.field()) {
      case kStageEventId:
        event_id = field.Unsigned();
        break;
      case kStageDuration:
        duration = field.Unsigned();
        break;
      case kStageQueueId:
        queue = field.Unsigned();
        break;
      case kStageQueue:
        row = sequence.stages.Get(field.Unsigned());
        queue = field.Unsigned();
        break;
      case kStageStage:
        stage = sequence.stages.Get(field.Unsigned());
        break;
      case kStageName:
        name = out_.Intern(field.Bytes());
        break;
      case kStageNameIid:
        name = sequence.names.Get(field.Unsigned());
        break;
      case kStageKernel:
        kernel = sequence.kernels.Get(field.Unsigned());
        break;
      case kStageGpu:
        args.device = static_cast<int32_t>(field.Unsigned() & 0x7fffffff);
        break;
      case kStageLaunch:
        for (WireReader launch(field.Bytes()); launch.Next();) {
          for (WireReader size(launch.Bytes()); size.Next();) {
            if (size.field() < 1 || size.field() > 3) continue;
            const auto number = static_cast<uint32_t>(size.Unsigned());
            if (launch.field() == kLaunchGrid) args.grid[size.field() - 1] = number;
            if (launch.field() == kLaunchWorkgroup) {
              args.block[size.field() - 1] = static_cast<uint16_t>(number);
            }
          }
        }
        break;
      default:
        break;
    }
  }
  // The kernel, with its arguments' types, says most.
  for (const StringId better : {kernel, stage}) {
    if (name == kEmptyString) name = better;
  }
  if (kernel != kEmptyString) name = kernel;
  args.correlation = event_id + 1;
  args.stream = static_cast<int32_t>(queue & 0x7fffffff);
  const std::string_view spelt = out_.block().strings[name];
  const Kind kind = spelt.starts_with("Memcpy")   ? Kind::kCopy
                    : spelt.starts_with("Memset") ? Kind::kMemset
                                                  : Kind::kKernel;
  const std::string queue_name = row == kEmptyString ? "queue " + std::to_string(queue)
                                                     : std::string(out_.block().strings[row]);
  const uint32_t track =
      tracks_.UseOwn("GPU " + std::to_string(args.device), queue_name, TrackKind::kStream);
  out_.Span(*time, static_cast<int64_t>(duration), name, track, kind, out_.Args(args));
  flows_.Add(event_id | kStageFlow, *time, track, out_.event(), true);
}

}  // namespace stepscope::perfetto
