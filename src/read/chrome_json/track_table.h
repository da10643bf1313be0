#pragma once

#include <cstdint>
#include <vector>

#include "trace/event_block.h"

namespace stepscope::chrome_json {

// Numbers the rows of a block. Events of one row tend to follow each other, so the last two answers
// are tried first.
class TrackTable {
 public:
  explicit TrackTable(std::vector<EventBlock::TrackKey>& tracks) : tracks_(tracks), slots_(64) {}

  uint32_t Find(const EventBlock::TrackKey& key) {
    if (!tracks_.empty()) {
      if (tracks_[last_] == key) return last_;
      if (tracks_[before_] == key) {
        std::swap(last_, before_);
        return last_;
      }
    }
    before_ = last_;
    last_ = Search(key);
    return last_;
  }

 private:
  static size_t Hash(const EventBlock::TrackKey& key) {
    uint64_t mixed = static_cast<uint64_t>(key.process.number) * 0x9e3779b97f4a7c15;
    mixed = (mixed ^ static_cast<uint64_t>(key.thread.number)) * 0xff51afd7ed558ccd;
    mixed ^= uint64_t{Index(key.process.text)} << 32 | Index(key.thread.text);
    mixed = (mixed ^ (uint64_t{Index(key.scope)} << 8 | static_cast<uint64_t>(key.kind))) *
            0xc4ceb9fe1a85ec53;
    return static_cast<size_t>(mixed >> 32);
  }

  uint32_t Search(const EventBlock::TrackKey& key) {
    const size_t mask = slots_.size() - 1;
    size_t at = Hash(key) & mask;
    for (; slots_[at] != 0; at = (at + 1) & mask) {
      if (tracks_[slots_[at] - 1] == key) return slots_[at] - 1;
    }
    tracks_.push_back(key);
    slots_[at] = static_cast<uint32_t>(tracks_.size());
    if (tracks_.size() * 2 > slots_.size()) Grow();
    return static_cast<uint32_t>(tracks_.size() - 1);
  }

  void Grow() {
    slots_.assign(slots_.size() * 2, 0);
    const size_t mask = slots_.size() - 1;
    for (uint32_t i = 0; i < tracks_.size(); ++i) {
      size_t at = Hash(tracks_[i]) & mask;
      while (slots_[at] != 0) at = (at + 1) & mask;
      slots_[at] = i + 1;
    }
  }

  std::vector<EventBlock::TrackKey>& tracks_;
  std::vector<uint32_t> slots_;  // track number + 1; 0: free
  uint32_t last_ = 0;
  uint32_t before_ = 0;
};

}  // namespace stepscope::chrome_json
