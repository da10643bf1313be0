#include "read/perfetto/stored_events.h"

#include <algorithm>
#include <bit>
#include <utility>

#include "read/perfetto/packet_reader.h"
#include "read/perfetto/packet_walk.h"
#include "read/perfetto/perfetto_fields.h"
#include "read/protobuf/packed.h"
#include "read/protobuf/wire.h"
#include "words/read.h"

namespace stepscope::perfetto {
namespace {

constexpr SayFrom<kReadTexts> Say;
using Type = StoredValue::Type;

constexpr int kDeepestDetail = 32;
constexpr uint64_t KeyOf(uint32_t field, uint64_t iid) { return (iid << 12) | field; }

// Reads annotations, with the texts that they name by numbers.
class Annotations {
 public:
  using Texts = std::unordered_map<uint64_t, std::string_view>;
  explicit Annotations(const Texts& texts) : texts_(texts) {}

  std::string TextOf(uint32_t field, uint64_t iid) const {
    const auto at = texts_.find(KeyOf(field, iid));
    return at == texts_.end() ? std::string() : std::string(at->second);
  }

  StoredValue Read(std::string_view message, int depth = 0) const {
    StoredValue value;
    for (WireReader field(message); field.Next();) {
      switch (field.field()) {
        case kAnnotationNameIid:
          value.name = TextOf(kInternedAnnotationName, field.Unsigned());
          break;
        case kAnnotationName:
          value.name = field.Bytes();
          break;
        case kAnnotationBool:
          SetNumber(value, Type::kBool, field.Unsigned());
          break;
        case kAnnotationUint:
        case kAnnotationPointer:
          SetNumber(value, Type::kUnsigned, field.Unsigned());
          break;
        case kAnnotationInt:
          SetNumber(value, Type::kInteger, field.Unsigned());
          break;
        case kAnnotationDouble:
          SetNumber(value, Type::kReal, std::bit_cast<uint64_t>(field.Double()));
          break;
        case kAnnotationString:
        case kAnnotationJson:
          SetText(value, field.Bytes());
          break;
        case kAnnotationStringIid:
          SetText(value, TextOf(kInternedString, field.Unsigned()));
          break;
        case kAnnotationDictEntry:
        case kAnnotationArrayItem:
          value.type = field.field() == kAnnotationDictEntry ? Type::kDict : Type::kArray;
          if (depth < kDeepestDetail) value.items.push_back(Read(field.Bytes(), depth + 1));
          break;
        case kAnnotationNested: {
          std::string name = std::move(value.name);
          value = ReadNested(field.Bytes(), depth + 1);
          value.name = std::move(name);
          break;
        }
        default:
          break;
      }
    }
    return value;
  }

 private:
  static void SetNumber(StoredValue& value, Type type, uint64_t bits) {
    value.type = type;
    value.bits = bits;
  }
  static void SetText(StoredValue& value, std::string_view text) {
    value.type = Type::kText;
    value.text = text;
  }

  static StoredValue ReadNested(std::string_view message, int depth) {
    StoredValue value;
    std::vector<std::string> keys;
    for (WireReader field(message); field.Next();) {
      switch (field.field()) {
        case kNestedKey:
          keys.emplace_back(field.Bytes());
          break;
        case kNestedDictValue:
        case kNestedArrayValue:
          value.type = field.field() == kNestedDictValue ? Type::kDict : Type::kArray;
          if (depth < kDeepestDetail) value.items.push_back(ReadNested(field.Bytes(), depth + 1));
          break;
        case kNestedInt:
          SetNumber(value, Type::kInteger, field.Unsigned());
          break;
        case kNestedDouble:
          SetNumber(value, Type::kReal, std::bit_cast<uint64_t>(field.Double()));
          break;
        case kNestedBool:
          SetNumber(value, Type::kBool, field.Unsigned());
          break;
        case kNestedString:
          SetText(value, field.Bytes());
          break;
        default:
          break;
      }
    }
    for (size_t i = 0; i < value.items.size() && i < keys.size(); ++i) {
      value.items[i].name = keys[i];
    }
    return value;
  }

  const Texts& texts_;
};

StoredEvent TrackEventDetails(std::string_view message, const Annotations& annotations) {
  StoredEvent event{"track_event", {}, {}};
  StoredValue debug;
  debug.name = "debug";
  debug.type = Type::kDict;
  std::vector<uint64_t> numbers;
  const auto add_category = [&](std::string_view category) {
    if (!event.categories.empty()) event.categories += ',';
    event.categories += category;
  };
  for (WireReader field(message); field.Next();) {
    switch (field.field()) {
      case kEventAnnotation:
        debug.items.push_back(annotations.Read(field.Bytes()));
        break;
      case kEventCategory:
        add_category(field.Bytes());
        break;
      case kEventCategoryIid:
        numbers.clear();
        AppendVarints(field, numbers);
        for (const uint64_t iid : numbers) add_category(annotations.TextOf(kInternedCategory, iid));
        break;
      default:
        break;
    }
  }
  if (!debug.items.empty()) event.details.push_back(std::move(debug));
  return event;
}

StoredEvent RenderStageDetails(std::string_view message, const Annotations& annotations) {
  StoredEvent event{"gpu_render_stage_event", {}, {}};
  for (WireReader field(message); field.Next();) {
    switch (field.field()) {
      case kStageEventId:
        event.details.push_back(StoredValue::Number("event_id", field.Unsigned()));
        break;
      case kStageSubmission:
        event.details.push_back(StoredValue::Number("submission_id", field.Unsigned()));
        break;
      case kStageGpu:
        event.details.push_back(StoredValue::Number("gpu_id", field.Unsigned()));
        break;
      case kStageQueue:
      case kStageStage:
        event.details.push_back(
            StoredValue::Text(field.field() == kStageQueue ? "hw_queue" : "stage",
                              annotations.TextOf(kInternedGpuSpecification, field.Unsigned())));
        break;
      case kStageExtra: {
        std::string name;
        std::string_view value;
        for (WireReader extra(field.Bytes()); extra.Next();) {
          if (extra.field() == kExtraName) name = extra.Bytes();
          if (extra.field() == kExtraValue) value = extra.Bytes();
        }
        event.details.push_back(StoredValue::Text(std::move(name), value));
        break;
      }
      default:
        break;
    }
  }
  return event;
}

}  // namespace

StoredValue StoredValue::Text(std::string name, std::string_view text) {
  return {std::move(name), Type::kText, 0, std::string(text), {}};
}
StoredValue StoredValue::Number(std::string name, uint64_t number) {
  return {std::move(name), Type::kUnsigned, number, {}, {}};
}

// Counts events as the reader does, because it is the reader.
class StoredEvents::Reading {
 public:
  explicit Reading(StoredEvents& into) : into_(into), packets_(block_) {}

  bool Read(std::string_view packet) {
    const uint64_t before = block_.event_count;
    uint32_t sequence = 0;
    bool cleared = false;
    std::string_view interned;
    for (WireReader field(packet); field.Next();) {
      if (field.field() == kPacketSequence) sequence = static_cast<uint32_t>(field.Unsigned());
      if (field.field() == kPacketSequenceFlags) cleared |= (field.Unsigned() & kStateCleared) != 0;
      if (field.field() == kPacketStateCleared) cleared |= field.Bool();
      if (field.field() == kPacketInterned) interned = field.Bytes();
    }
    const auto [at, is_new] = texts_of_.try_emplace(sequence);
    if (is_new || cleared) {
      at->second = static_cast<uint32_t>(into_.texts_.size());
      into_.texts_.emplace_back();
    }
    AddTexts(interned, into_.texts_[at->second]);
    const bool whole = packets_.Read(packet);
    if (block_.event_count > before) {
      into_.places_.push_back({packet, static_cast<uint32_t>(before), at->second});
    }
    into_.events_ = static_cast<uint32_t>(block_.event_count);
    return whole;
  }

 private:
  static void AddTexts(std::string_view interned, Texts& texts) {
    for (WireReader field(interned); field.Next();) {
      uint64_t iid = 0;
      std::string_view text;
      for (WireReader entry(field.Bytes()); entry.Next();) {
        if (entry.field() == kIid) iid = entry.Unsigned();
        if (entry.field() == kText) text = entry.Bytes();
      }
      texts[KeyOf(field.field(), iid)] = text;
    }
  }

  StoredEvents& into_;
  EventBlock block_;
  PacketReader packets_;
  std::unordered_map<uint32_t, uint32_t> texts_of_;  // by sequence
};

Result<std::unique_ptr<StoredEvents>> StoredEvents::Open(const std::string& path) {
  Result<FileBytes> bytes = ReadWhole(path);
  if (!bytes) return std::unexpected(std::move(bytes.error()));
  auto events = std::unique_ptr<StoredEvents>(new StoredEvents(path, std::move(*bytes)));
  Reading reading(*events);
  Diagnostics ignored;
  const OpenOptions options;
  PacketWalk(options, ignored, [&](std::string_view packet) {
    return reading.Read(packet);
  }).Run({events->file_.bytes().data(), events->file_.bytes().size()}, &events->inflated_);
  return events;
}

Result<StoredEvent> StoredEvents::Event(uint32_t event) const {
  const auto after = std::ranges::upper_bound(places_, event, {}, &Place::first_event);
  if (after == places_.begin() || event >= events_) {
    return Fail(ErrorCode::kDamaged, Say("read.event-gone"), path_, Say("read.open-again"));
  }
  const Place& place = *std::prev(after);
  const Annotations annotations(texts_[place.texts]);
  for (WireReader field(place.packet); field.Next();) {
    if (field.field() == kPacketTrackEvent) return TrackEventDetails(field.Bytes(), annotations);
    if (field.field() == kPacketRenderStage) return RenderStageDetails(field.Bytes(), annotations);
    if (field.field() == kPacketFtrace) return StoredEvent{"ftrace_events", {}, {}};
    if (field.field() == kPacketGpuCounters) return StoredEvent{"gpu_counter_event", {}, {}};
  }
  return StoredEvent{"packet", {}, {}};
}

}  // namespace stepscope::perfetto
