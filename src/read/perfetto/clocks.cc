#include "read/perfetto/clocks.h"

#include <algorithm>

#include "read/perfetto/perfetto_fields.h"
#include "read/protobuf/wire.h"

namespace stepscope::perfetto {
namespace {

struct Reading {
  uint32_t clock = 0;
  uint64_t timestamp = 0;
  uint64_t multiplier = 1;
  bool incremental = false;

  int64_t ns() const { return static_cast<int64_t>(timestamp * multiplier); }
};

Reading ReadClock(std::string_view message) {
  Reading reading;
  for (WireReader field(message); field.Next();) {
    if (field.field() == kClockId) reading.clock = static_cast<uint32_t>(field.Unsigned());
    if (field.field() == kClockTimestamp) reading.timestamp = field.Unsigned();
    if (field.field() == kClockIncremental) reading.incremental = field.Bool();
    if (field.field() == kClockMultiplier) {
      reading.multiplier = std::max<uint64_t>(field.Unsigned(), 1);
    }
  }
  return reading;
}

}  // namespace

uint64_t Clocks::KeyOf(uint32_t sequence, uint32_t clock) {
  const bool local = clock >= kFirstLocalClock && clock <= kLastLocalClock;
  return local ? (uint64_t{sequence} + 1) << 32 | clock : clock;
}

std::optional<int64_t> Clocks::Convert(const Clock& clock, int64_t time) {
  if (clock.points.empty()) return std::nullopt;
  auto at = std::ranges::upper_bound(clock.points, time, {}, &std::pair<int64_t, int64_t>::first);
  if (at != clock.points.begin()) --at;
  int64_t since = 0, converted = 0;
  if (__builtin_sub_overflow(time, at->first, &since)) return std::nullopt;
  if (__builtin_add_overflow(at->second, since, &converted)) return std::nullopt;
  return converted;
}

void Clocks::AddSnapshot(uint32_t sequence, std::string_view message) {
  std::vector<Reading> readings;
  for (WireReader field(message); field.Next();) {
    if (field.field() == kSnapshotClock) readings.push_back(ReadClock(field.Bytes()));
    if (field.field() == kSnapshotPrimary && field.Unsigned() > 0) {
      trace_clock_ = static_cast<uint32_t>(field.Unsigned());
    }
  }
  std::optional<int64_t> trace_time;
  for (const Reading& reading : readings) {
    if (reading.clock == trace_clock_) trace_time = reading.ns();
  }
  // A snapshot without the trace's clock hangs on one that is known already.
  for (size_t i = 0; i < readings.size() && !trace_time; ++i) {
    const auto known = clocks_.find(KeyOf(sequence, readings[i].clock));
    if (known != clocks_.end()) trace_time = Convert(known->second, readings[i].ns());
  }
  if (!trace_time) return;
  for (const Reading& reading : readings) {
    Clock& clock = clocks_[KeyOf(sequence, reading.clock)];
    clock.multiplier = reading.multiplier;
    clock.incremental = reading.incremental;
    clock.last = reading.ns();
    const std::pair point(reading.ns(), *trace_time);
    clock.points.insert(std::ranges::upper_bound(clock.points, point), point);
    int64_t offset = 0;
    if (reading.clock == kRealtime && !__builtin_sub_overflow(reading.ns(), *trace_time, &offset)) {
      unix_offset_ns_ = offset;
    }
  }
}

std::optional<int64_t> Clocks::ToTrace(uint32_t sequence, uint32_t clock, uint64_t timestamp) {
  if (clock == trace_clock_ || clock == 0) return static_cast<int64_t>(timestamp);
  const auto known = clocks_.find(KeyOf(sequence, clock));
  // Traces of one clock often have no snapshot at all.
  if (known == clocks_.end()) {
    if (clocks_.empty() && clock < kFirstLocalClock) return static_cast<int64_t>(timestamp);
    return std::nullopt;
  }
  const auto ns = static_cast<int64_t>(timestamp * known->second.multiplier);
  if (!known->second.incremental) return Convert(known->second, ns);
  if (__builtin_add_overflow(known->second.last, ns, &known->second.last)) return std::nullopt;
  return Convert(known->second, known->second.last);
}

}  // namespace stepscope::perfetto
