#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "read/chrome_json/categories.h"
#include "read/chrome_json/interner.h"
#include "read/chrome_json/parsed_chunk.h"
#include "read/chrome_json/raw_event.h"
#include "read/chrome_json/track_table.h"

namespace stepscope::chrome_json {

// Gives each event of a chunk its place in the block: a span, half of one, a flow, an instant, a
// counter sample, an allocation, metadata; or a diagnostic. No event is dropped silently.
class EventSink {
 public:
  explicit EventSink(ParsedChunk& chunk);
  ~EventSink();
  EventSink(const EventSink&) = delete;
  EventSink& operator=(const EventSink&) = delete;

  void Take(const RawEvent& event);
  // An entry of the list that is not an object.
  void NotAnEvent(uint64_t offset, std::string_view text);
  // An entry that is not JSON; `fault` is the place of the fault.
  void Malformed(uint64_t offset, uint64_t fault, std::string_view text);

 private:
  struct SeenCategory {
    std::string_view spelt;
    Category meaning;
    uint64_t complete = 0;
  };

  void Dispatch(const RawEvent& event);
  void Complete(const RawEvent& event, SeenCategory& category);
  void HalfSpan(const RawEvent& event, bool begin);
  void AsyncHalf(const RawEvent& event, bool begin);
  void AddInstant(const RawEvent& event, uint32_t track);
  void Memory(const RawEvent& event);
  void Counter(const RawEvent& event);
  void AddFlow(const RawEvent& event, FlowPhase phase);
  void AddBoundFlow(const RawEvent& event);
  void Metadata(const RawEvent& event);
  void Diagnose(Diagnostic code, const RawEvent& event);

  SeenCategory& FindCategory(const Text& category);
  uint32_t ArgsRow(Kind kind, const RawEvent& event);
  uint32_t OpRow(const RawEvent& event);
  uint32_t CallRow(const RawEvent& event);
  uint32_t DeviceRow(const RawEvent& event);
  uint32_t FrameRow(const RawEvent& event);
  uint32_t CollectiveRow(const RawEvent& event);
  void Defer(uint32_t row, const RawEvent& event);
  uint32_t TrackOf(const RawEvent& event, TrackKind kind);
  uint32_t AsyncTrackOf(const RawEvent& event);
  IdKey KeyOf(const RawId& id);
  uint32_t EventOrdinal() const { return static_cast<uint32_t>(block_.event_count - 1); }

  ParsedChunk& chunk_;
  EventBlock& block_;
  Interner interner_;
  TrackTable tracks_;
  std::vector<SeenCategory> categories_;
  size_t last_category_ = 0;
  std::string scratch_;
};

}  // namespace stepscope::chrome_json
