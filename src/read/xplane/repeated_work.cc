#include "read/xplane/repeated_work.h"

#include <xxhash.h>

#include "read/protobuf/cursor.h"
#include "read/xplane/xplane_fields.h"

namespace stepscope::xplane {
namespace {

constexpr uint8_t Tag(uint32_t field, uint32_t type) {
  return static_cast<uint8_t>(field << 3 | type);
}

}  // namespace

WorkStats SplitWorkStats(std::string_view stats, const char* readable,
                         const std::vector<StatRole>& roles) {
  constexpr size_t kHead = 5;  // tag, size, tag of the id, id, tag of the value
  if (stats.size() <= kHead) return {};
  const auto byte = [&](size_t i) { return static_cast<uint8_t>(stats[i]); };
  const size_t size = byte(1);
  const uint8_t id = byte(3);
  const bool plain =
      byte(0) == Tag(event_field::kStats, 2) && size < 0x80 &&
      byte(2) == Tag(stat_field::kMetadataId, 0) && id < 0x80 &&
      (byte(4) == Tag(stat_field::kUint64, 0) || byte(4) == Tag(stat_field::kInt64, 0)) &&
      size + 2 <= stats.size() && size + 2 > kHead;
  if (!plain || id >= roles.size() || roles[id] != StatRole::kCorrelation) return {};
  WorkStats split;
  WireCursor value(stats.substr(kHead, size + 2 - kHead), readable);
  if (!value.Varint(split.correlation) || !value.done()) return {};
  split.rest = stats.substr(size + 2);
  return split;
}

uint64_t RepeatedWork::HashOf(uint64_t metadata_id, std::string_view rest) {
  return XXH3_64bits_withSeed(rest.data(), rest.size(), metadata_id);
}

const RepeatedWork::Known* RepeatedWork::Follow(uint32_t at) {
  known_[last_].next = at;
  last_ = at;
  return &known_[at];
}

const RepeatedWork::Known* RepeatedWork::Find(uint64_t metadata_id, std::string_view rest) {
  if (known_.empty()) return nullptr;
  const auto is = [&](const Known& known) {
    return known.metadata_id == metadata_id && known.rest == rest;
  };
  if (const uint32_t next = known_[last_].next; is(known_[next])) return Follow(next);
  const auto at = by_hash_.find(HashOf(metadata_id, rest));
  return at != by_hash_.end() && is(known_[at->second]) ? Follow(at->second) : nullptr;
}

void RepeatedWork::Add(const Known& known) {
  // Where nothing repeats, remembering is of no use.
  constexpr size_t kMost = size_t{1} << 13;
  if (known_.size() == kMost) return;
  const auto at = static_cast<uint32_t>(known_.size());
  const bool is_new = by_hash_.emplace(HashOf(known.metadata_id, known.rest), at).second;
  if (!is_new) return;  // another has its hash
  known_.push_back(known);
  Follow(at);
}

}  // namespace stepscope::xplane
