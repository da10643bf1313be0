#include "fleet/rank_summary.h"

#include <algorithm>
#include <array>
#include <bit>
#include <cstring>
#include <type_traits>
#include <utility>
#include <vector>

#include "fleet/rows.h"

namespace stepscope::fleet {
namespace {

constexpr uint64_t kSummaryVersion = 1;
constexpr size_t kMostWork = kMostRows;  // names by their time: enough to say which got slower
constexpr std::string_view kDigits =
    "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_";

// Both walk over the same members (Visit): what one writes, the other reads.
class SummaryWriter {
 public:
  static constexpr bool kReads = false;

  void Number(uint64_t value) {
    for (; value >= 0x80; value >>= 7) bytes_.push_back(static_cast<char>(value | 0x80));
    bytes_.push_back(static_cast<char>(value));
  }
  void Text(const std::string& text) {
    Number(text.size());
    bytes_ += text;
  }
  bool ok() const { return true; }
  const std::string& bytes() const { return bytes_; }

 private:
  std::string bytes_;
};

class SummaryReader {
 public:
  static constexpr bool kReads = true;

  explicit SummaryReader(std::string_view bytes) : rest_(bytes) {}
  void Number(uint64_t& value) {
    value = 0;
    for (int shift = 0; shift < 64; shift += 7) {
      if (rest_.empty()) return Fail();
      const auto byte = static_cast<uint8_t>(rest_.front());
      rest_.remove_prefix(1);
      value |= uint64_t{byte & 0x7FU} << shift;
      if (byte < 0x80) return;
    }
    Fail();
  }
  void Text(std::string& text) {
    uint64_t size = 0;
    Number(size);
    if (size > rest_.size()) return Fail();
    text = rest_.substr(0, size);
    rest_.remove_prefix(size);
  }
  void Fail() {
    ok_ = false;
    rest_ = {};
  }
  bool ok() const { return ok_; }
  size_t left() const { return rest_.size(); }

 private:
  std::string_view rest_;
  bool ok_ = true;
};

uint64_t ZigZag(int64_t value) {
  return (static_cast<uint64_t>(value) << 1) ^ static_cast<uint64_t>(value >> 63);
}
int64_t ZagZig(uint64_t value) {
  return static_cast<int64_t>(value >> 1) ^ -static_cast<int64_t>(value & 1);
}

template <typename A, typename T>
  requires std::is_integral_v<T> || std::is_enum_v<T>
void Field(A& a, T& value) {
  if constexpr (A::kReads) {
    uint64_t number = 0;
    a.Number(number);
    value = static_cast<T>(ZagZig(number));
  } else {
    a.Number(ZigZag(static_cast<int64_t>(value)));
  }
}
template <typename A>
void Field(A& a, std::string& text) {
  a.Text(text);
}
template <typename A>
void Field(A& a, DurationNs& value) {
  Field(a, value.ns);
}
template <typename A>
void Field(A& a, double& value) {
  auto bits = std::bit_cast<uint64_t>(value);
  if constexpr (A::kReads) {
    a.Number(bits);
    value = std::bit_cast<double>(bits);
  } else {
    a.Number(bits);
  }
}
template <typename A, typename T>
void Field(A& a, std::optional<T>& value) {
  bool known = value.has_value();
  Field(a, known);
  if (!known) return;
  if constexpr (A::kReads) value.emplace();
  Field(a, *value);
}

// Times and ordinals as distances from the ones before: small numbers.
template <typename A>
void FieldAfter(A& a, int64_t& value, int64_t& before) {
  int64_t distance =
      static_cast<int64_t>(static_cast<uint64_t>(value) - static_cast<uint64_t>(before));
  Field(a, distance);
  value = static_cast<int64_t>(static_cast<uint64_t>(before) + static_cast<uint64_t>(distance));
  before = value;
}

template <typename A, typename T, typename Each>
void Fields(A& a, std::vector<T>& values, Each each) {
  uint64_t count = values.size();
  if constexpr (A::kReads) {
    a.Number(count);
    // Every element takes a byte at least: a count that cannot be is no reason to take memory.
    if (count > a.left()) return a.Fail();
    values.resize(count);
  } else {
    a.Number(count);
  }
  for (T& value : values) {
    if (!a.ok()) return;
    each(value);
  }
}

template <typename A>
void VisitCalls(A& a, std::vector<RankCall>& calls) {
  int64_t start = 0, event = 0, sequence = 0, id = 0;
  Fields(a, calls, [&](RankCall& call) {
    FieldAfter(a, call.start.ns, start);
    DurationNs length = call.end - call.start;
    Field(a, length);
    call.end = call.start + length;
    Field(a, call.signature);
    Field(a, call.step);
    Field(a, call.lane);
    int64_t of_event = call.event;
    FieldAfter(a, of_event, event);
    call.event = static_cast<uint32_t>(of_event);
    FieldAfter(a, call.sequence, sequence);
    auto of_id = static_cast<int64_t>(call.id);
    FieldAfter(a, of_id, id);
    call.id = static_cast<uint64_t>(of_id);
  });
}

template <typename A>
void VisitSteps(A& a, std::vector<RankStep>& steps) {
  int64_t start = 0;
  Fields(a, steps, [&](RankStep& step) {
    Field(a, step.number);
    FieldAfter(a, step.start.ns, start);
    DurationNs length = step.end - step.start;
    Field(a, length);
    step.end = step.start + length;
    Field(a, step.used);
    for (DurationNs* part : {&step.compute, &step.exposed, &step.copy, &step.input, &step.idle}) {
      Field(a, *part);
    }
    for (DurationNs& cause : step.idle_causes) Field(a, cause);
  });
}

template <typename A>
void VisitGroups(A& a, RankDigest& digest) {
  Fields(a, digest.groups, [&](RankGroup& group) {
    for (std::string* text : {&group.name, &group.description, &group.backend}) Field(a, *text);
    Field(a, group.size);
    int64_t rank = 0;
    Fields(a, group.ranks, [&](int64_t& member) { FieldAfter(a, member, rank); });
  });
  Fields(a, digest.signatures, [&](CallSignature& signature) {
    Field(a, signature.group);
    Field(a, signature.type);
    Field(a, signature.dtype);
    for (int64_t* number : {&signature.in_elements, &signature.out_elements,
                            &signature.element_bytes, &signature.bytes, &signature.peer}) {
      Field(a, *number);
    }
  });
}

// Intervals are in order: distances.
template <typename A>
void VisitExposed(A& a, IntervalSet& set) {
  std::vector<Interval> intervals(set.intervals().begin(), set.intervals().end());
  int64_t at = 0;
  Fields(a, intervals, [&](Interval& interval) {
    FieldAfter(a, interval.start.ns, at);
    FieldAfter(a, interval.end.ns, at);
  });
  if constexpr (A::kReads) set = IntervalSet::Of(std::move(intervals));
}

template <typename A>
void Visit(A& a, RankDigest& digest) {
  Field(a, digest.path);
  Field(a, digest.format);
  for (std::string* text : {&digest.framework, &digest.host, &digest.device}) Field(a, *text);
  Field(a, digest.rank);
  Field(a, digest.world_size);
  Field(a, digest.epoch_ns);
  Field(a, digest.span);
  Field(a, digest.on_host);
  Field(a, digest.numbered);
  VisitGroups(a, digest);
  VisitCalls(a, digest.calls);
  VisitSteps(a, digest.steps);
  Fields(a, digest.work, [&](WorkTotal& work) {
    Field(a, work.name);
    Field(a, work.calls);
    Field(a, work.total);
    Field(a, work.blocks);
  });
  Fields(a, digest.regions, [&](RegionTotal& region) {
    Field(a, region.name);
    Field(a, region.total);
    Field(a, region.input);
  });
  Field(a, digest.copied_bytes);
  Field(a, digest.input_elements);
  VisitExposed(a, digest.exposed);
  Field(a, digest.bound_by);
  Field(a, digest.median_step);
}

// Places of other members: a summary from elsewhere must not make them point nowhere.
bool IsConsistent(const RankDigest& digest) {
  const auto within = [](uint32_t at, size_t size) { return at < size; };
  return std::ranges::all_of(digest.signatures,
                             [&](const CallSignature& signature) {
                               return within(signature.group, digest.groups.size()) &&
                                      static_cast<size_t>(signature.type) < kCollectiveTypes;
                             }) &&
         std::ranges::all_of(digest.calls, [&](const RankCall& call) {
           return within(call.signature, digest.signatures.size()) &&
                  (call.step == kNoRow || within(call.step, digest.steps.size()));
         });
}

// Six bits a character, none at the end.
std::string DigitsOf(std::string_view bytes) {
  std::string text;
  text.reserve(bytes.size() * 4 / 3 + 2);
  uint32_t bits = 0;
  int count = 0;
  for (const char byte : bytes) {
    bits = (bits << 8) | static_cast<uint8_t>(byte);
    for (count += 8; count >= 6;) text.push_back(kDigits[(bits >> (count -= 6)) & 63]);
  }
  if (count > 0) text.push_back(kDigits[(bits << (6 - count)) & 63]);
  return text;
}

std::optional<std::string> BytesOfDigits(std::string_view text) {
  std::array<int8_t, 256> values{};
  values.fill(-1);
  for (size_t i = 0; i < kDigits.size(); ++i) {
    values[static_cast<uint8_t>(kDigits[i])] = static_cast<int8_t>(i);
  }
  std::string bytes;
  bytes.reserve(text.size() * 3 / 4);
  uint32_t bits = 0;
  int count = 0;
  for (const char digit : text) {
    const int8_t value = values[static_cast<uint8_t>(digit)];
    if (value < 0) return std::nullopt;
    bits = (bits << 6) | static_cast<uint32_t>(value);
    count += 6;
    if (count >= 8) bytes.push_back(static_cast<char>(bits >> (count -= 8)));
  }
  return bytes;
}

}  // namespace

std::string EncodeSummary(const RankDigest& digest) {
  RankDigest copy = digest;
  std::ranges::stable_sort(copy.work, std::ranges::greater{},
                           [](const WorkTotal& work) { return work.total.ns; });
  if (copy.work.size() > kMostWork) {
    WorkTotal rest{.name = std::string(kRest)};
    for (size_t i = kMostWork; i < copy.work.size(); ++i) {
      rest.calls += copy.work[i].calls;
      rest.total += copy.work[i].total;
      rest.blocks += copy.work[i].blocks;
    }
    copy.work.resize(kMostWork);
    copy.work.push_back(std::move(rest));
  }
  SummaryWriter writer;
  writer.Number(kSummaryVersion);
  Visit(writer, copy);
  return DigitsOf(writer.bytes());
}

std::optional<RankDigest> DecodeSummary(std::string_view text) {
  const std::optional<std::string> bytes = BytesOfDigits(text);
  if (!bytes) return std::nullopt;
  SummaryReader reader(*bytes);
  uint64_t version = 0;
  reader.Number(version);
  RankDigest digest;
  if (version == kSummaryVersion) Visit(reader, digest);
  if (version != kSummaryVersion || !reader.ok() || !IsConsistent(digest)) return std::nullopt;
  return digest;
}

}  // namespace stepscope::fleet
