#include "read/chrome_json/event_sink.h"

#include <xxhash.h>

#include <algorithm>

#include "read/chrome_json/counter_series.h"
#include "read/chrome_json/decimal.h"

namespace stepscope::chrome_json {
namespace {

// A longer duration is not believed: the span is shown but kept out of sums.
constexpr int64_t kWeekNs = int64_t{7} * 24 * 3600 * 1'000'000'000;

uint64_t IdOf(const RawId& id) {
  if (id.text.size == 0) return static_cast<uint64_t>(id.number);
  if (const auto number = ParseInteger(id.text.view())) return static_cast<uint64_t>(*number);
  return XXH3_64bits(id.text.data, id.text.size);
}

}  // namespace

EventSink::EventSink(ParsedChunk& chunk)
    : chunk_(chunk),
      block_(chunk.block),
      interner_(block_.strings, block_.diagnostics),
      tracks_(block_.tracks) {}

EventSink::~EventSink() {
  for (const SeenCategory& category : categories_) {
    if (category.complete > 0 && !category.spelt.empty()) {
      chunk_.complete_by_category[std::string(category.spelt)] += category.complete;
    }
  }
}

void EventSink::NotAnEvent(uint64_t offset, std::string_view text) {
  ++block_.event_count;
  ++block_.diagnosed;
  block_.diagnostics.Add(Diagnostic::kMalformedEvent, 1, offset, text.substr(0, 60));
}

void EventSink::Malformed(uint64_t offset, uint64_t fault, std::string_view text) {
  ++block_.event_count;
  ++block_.diagnosed;
  block_.diagnostics.Add(Diagnostic::kMalformedEvent, 1, offset);
  block_.diagnostics.Add(Diagnostic::kMalformedJson, 1, fault, text);
}

void EventSink::Diagnose(Diagnostic code, const RawEvent& event) {
  ++block_.diagnosed;
  block_.diagnostics.Add(code, 1, event.offset, event.name.view().substr(0, 60));
}

void EventSink::Take(const RawEvent& event) {
  ++block_.event_count;
  if (event.phase.size == 1 && static_cast<uint8_t>(event.phase.data[0]) < 128) {
    ++chunk_.phases[static_cast<uint8_t>(event.phase.data[0])];
    Dispatch(event);
  } else if (event.phase.size > 0) {
    ++chunk_.other_phases[std::string(event.phase.view())];
    Diagnose(Diagnostic::kUnknownPhase, event);
  } else {
    Diagnose(event.empty ? Diagnostic::kEmptyEvent : Diagnostic::kMalformedEvent, event);
  }
}

void EventSink::Dispatch(const RawEvent& event) {
  const char phase = event.phase.data[0];
  if (phase == 'M') return Metadata(event);
  if (event.has_time != RawTime::kGood) {
    // Still counted as complete, because the counts describe the file.
    if (phase == 'X') ++FindCategory(event.category).complete;
    return Diagnose(Diagnostic::kEventWithoutTime, event);
  }
  switch (phase) {
    case 'X':
      return Complete(event, FindCategory(event.category));
    case 'B':
      return HalfSpan(event, true);
    case 'E':
      return HalfSpan(event, false);
    case 'b':
    case 'S':
      return AsyncHalf(event, true);
    case 'e':
    case 'F':
      return AsyncHalf(event, false);
    case 'n':
    case 'T':
    case 'p':
      return AddInstant(event, AsyncTrackOf(event));
    case 's':
      return AddFlow(event, FlowPhase::kStart);
    case 't':
      return AddFlow(event, FlowPhase::kStep);
    case 'f':
      return AddFlow(event, FlowPhase::kEnd);
    case 'C':
      return Counter(event);
    case 'i':
    case 'I':
      if (event.name.view() == "[memory]") return Memory(event);
      [[fallthrough]];
    case 'R':  // a mark
    case 'P':  // a sample
    case 'N':  // object created, snapshot, destroyed
    case 'O':
    case 'D':
    case 'V':  // memory dumps
    case 'v':
    case 'c':  // clock synchronisation
    case '(':  // contexts
    case ')':
    case '=':  // linked ids
      return AddInstant(event, TrackOf(event, TrackKind::kThread));
    default:
      return Diagnose(Diagnostic::kUnknownPhase, event);
  }
}

EventSink::SeenCategory& EventSink::FindCategory(const Text& category) {
  const std::string_view spelt = category.view();
  if (!categories_.empty() && categories_[last_category_].spelt == spelt) {
    return categories_[last_category_];
  }
  for (last_category_ = 0; last_category_ < categories_.size(); ++last_category_) {
    if (categories_[last_category_].spelt == spelt) return categories_[last_category_];
  }
  // In a file with thousands of categories none means anything, so the list stays short.
  constexpr size_t kMostCategories = 256;
  if (categories_.size() >= kMostCategories) {
    chunk_.complete_by_category[std::string(categories_.back().spelt)] +=
        categories_.back().complete;
    categories_.pop_back();
  }
  categories_.push_back({spelt, CategoryOf(spelt), 0});
  last_category_ = categories_.size() - 1;
  return categories_.back();
}

void EventSink::Complete(const RawEvent& event, SeenCategory& category) {
  ++category.complete;
  int64_t duration = event.duration;
  uint8_t flags = 0;
  if (event.has_duration == RawTime::kAbsent) {
    block_.diagnostics.Add(Diagnostic::kMissingDuration, 1, event.offset, event.name.view());
    flags |= kUnfinished;
  } else if (duration < 0) {
    block_.diagnostics.Add(Diagnostic::kNegativeDuration, 1, event.offset, event.name.view());
    duration = 0;
  } else if (event.has_duration == RawTime::kUnusable || duration > kWeekNs) {
    block_.diagnostics.Add(Diagnostic::kAbsurdDuration, 1, event.offset, event.name.view());
    duration = 0;
    flags |= kKeptOutOfSums;
  }
  if (event.args.Has(Arg::kFinished) && event.args.TextOf(Arg::kFinished).view() == "false") {
    flags |= kUnfinished;
  }
  const Kind kind = KindByName(category.meaning.kind, event.name.view());
  const auto row = static_cast<uint32_t>(block_.start.size());
  block_.start.push_back(event.time);
  block_.duration.push_back(duration);
  block_.name.push_back(interner_.Intern(event.name));
  block_.track.push_back(TrackOf(event, category.meaning.track));
  block_.event.push_back(EventOrdinal());
  block_.args.push_back(ArgsRow(kind, event));
  block_.kind.push_back(kind);
  block_.flags.push_back(flags);
  if (kind == Kind::kOther && event.args.seen != 0) Defer(row, event);
  if (event.bind_id.present) AddBoundFlow(event);
}

void EventSink::HalfSpan(const RawEvent& event, bool begin) {
  const Kind kind = begin ? KindByName(FindCategory(event.category).meaning.kind, event.name.view())
                          : Kind::kOther;
  block_.halves.push_back({event.time, interner_.Intern(event.name),
                           TrackOf(event, TrackKind::kThread), EventOrdinal(),
                           begin ? ArgsRow(kind, event) : kNoRow, kind, begin});
}

void EventSink::AsyncHalf(const RawEvent& event, bool begin) {
  block_.halves.push_back({event.time, interner_.Intern(event.name), AsyncTrackOf(event),
                           EventOrdinal(), kNoRow, Kind::kOther, begin});
}

void EventSink::AddInstant(const RawEvent& event, uint32_t track) {
  block_.instants.push_back(
      {TimeNs{event.time}, interner_.Intern(event.name), TrackId{track}, EventOrdinal()});
}

void EventSink::Memory(const RawEvent& event) {
  const RawArgs& args = event.args;
  if (!args.Has(Arg::kAllocatedBytes)) {
    return AddInstant(event, TrackOf(event, TrackKind::kThread));
  }
  Allocation allocation;
  allocation.time = {event.time};
  allocation.bytes = args.Number(Arg::kAllocatedBytes, 0);
  allocation.total_allocated = args.Number(Arg::kTotalAllocated, -1);
  allocation.total_reserved = args.Number(Arg::kTotalReserved, -1);
  allocation.address = static_cast<uint64_t>(args.Number(Arg::kAddress, 0));
  allocation.track = TrackId{TrackOf(event, TrackKind::kThread)};
  allocation.event = EventOrdinal();
  const bool cpu = args.Number(Arg::kDeviceType, 1) == 0;
  allocation.device_type = cpu ? DeviceType::kCpu : DeviceType::kGpu;
  allocation.device =
      cpu ? 0 : static_cast<int32_t>(std::max<int64_t>(0, args.Number(Arg::kDeviceId, 0)));
  block_.allocations.push_back(allocation);
}

void EventSink::Counter(const RawEvent& event) {
  const uint32_t track = TrackOf(event, TrackKind::kThread);
  const StringId name = interner_.Intern(event.name);
  const size_t before = block_.counters.size();
  ForEachSeries(event.args_text.view(), [&](const Text& series, double value) {
    CounterSample sample;
    sample.time = {event.time};
    sample.value = value;
    sample.name = name;
    sample.series = interner_.Intern(series);
    block_.counters.emplace_back(sample, track);
  });
  if (block_.counters.size() == before) AddInstant(event, track);
}

void EventSink::AddFlow(const RawEvent& event, FlowPhase phase) {
  block_.flows.push_back({IdOf(event.id), TimeNs{event.time}, interner_.Intern(event.name),
                          TrackId{TrackOf(event, TrackKind::kThread)}, EventOrdinal(), phase,
                          event.binds_enclosing || phase == FlowPhase::kStep});
}

// The second form of flows: bind_id on a span, which starts a flow at its end or takes one in.
void EventSink::AddBoundFlow(const RawEvent& event) {
  if (!event.flow_in && !event.flow_out) return;
  const FlowPhase phase = event.flow_in && event.flow_out ? FlowPhase::kStep
                          : event.flow_out                ? FlowPhase::kStart
                                                          : FlowPhase::kEnd;
  block_.flows.push_back({IdOf(event.bind_id), TimeNs{event.time}, interner_.Intern(event.name),
                          TrackId{block_.track.back()}, EventOrdinal(), phase, true});
}

void EventSink::Metadata(const RawEvent& event) {
  using Key = EventBlock::MetadataKey;
  const std::string_view name = event.name.view();
  const auto add = [&](Key key, StringId text, int64_t number) {
    block_.metadata.push_back({TrackOf(event, TrackKind::kThread), key, text, number});
  };
  // Metadata of other names says nothing about rows; it counts as stored.
  if (name == "process_name") {
    add(Key::kProcessName, interner_.Intern(event.args.TextOf(Arg::kName)), 0);
  } else if (name == "process_labels") {
    add(Key::kProcessLabels, interner_.Intern(event.args.TextOf(Arg::kLabels)), 0);
  } else if (name == "thread_name") {
    add(Key::kThreadName, interner_.Intern(event.args.TextOf(Arg::kName)), 0);
  } else if (name == "process_sort_index") {
    add(Key::kProcessSortIndex, kEmptyString, event.args.Number(Arg::kSortIndex, 0));
  } else if (name == "thread_sort_index") {
    add(Key::kThreadSortIndex, kEmptyString, event.args.Number(Arg::kSortIndex, 0));
  }
}

IdKey EventSink::KeyOf(const RawId& id) {
  if (id.text.size == 0) return {id.number, kEmptyString};
  return {0, interner_.Intern(id.text)};
}

uint32_t EventSink::TrackOf(const RawEvent& event, TrackKind kind) {
  return tracks_.Find({KeyOf(event.process), KeyOf(event.thread), kind, kEmptyString});
}

// Asynchronous spans belong together by category, scope and id, whatever thread they are on.
uint32_t EventSink::AsyncTrackOf(const RawEvent& event) {
  scratch_.assign(event.category.view());
  scratch_ += ':';
  if (event.scope.size > 0) scratch_.append(event.scope.view()).append(":");
  if (event.id.text.size > 0) {
    scratch_ += event.id.text.view();
  } else {
    scratch_ += std::to_string(event.id.number);
  }
  // Deprecated phases are keyed by name as well.
  if (event.phase.data[0] < 'a' || event.phase.data[0] == 'p') {
    scratch_.append(":").append(event.name.view());
  }
  const StringId scope = block_.strings.Intern(scratch_);
  return tracks_.Find({KeyOf(event.process), IdKey{}, TrackKind::kAsync, scope});
}

}  // namespace stepscope::chrome_json
