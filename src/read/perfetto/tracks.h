#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "read/block_writer.h"
#include "trace/event_block.h"

namespace stepscope::perfetto {

// The tracks of a trace: events name them by a number, descriptors say what they are, before or
// after. A track gets its place in the block when it is first used, and its key when all
// descriptors have been read.
class Tracks {
 public:
  explicit Tracks(BlockWriter& out) : out_(out) {}

  struct Counter {
    bool is_counter = false;
    bool incremental = false;
    int64_t multiplier = 1;
    int64_t sum = 0;
    std::string name;
    StringId interned = kEmptyString;  // the name that its samples get
  };

  void AddDescriptor(std::string_view message);
  void AddProcessTree(std::string_view message);
  // The block's number of a track.
  uint32_t Use(uint64_t uuid);
  // A thread that a packet names by its ids.
  uint32_t UseThread(int64_t pid, int64_t tid);
  void NameThread(int64_t pid, int64_t tid, std::string_view name);
  Counter& CounterOf(uint64_t uuid) { return described_[uuid].counter; }
  StringId CounterName(uint64_t uuid);
  // A row that the reader makes itself: a hardware queue, a CPU.
  uint32_t UseOwn(std::string_view process, std::string_view row, TrackKind kind);

  // Writes the keys and names of all tracks in use.
  void Finish();

 private:
  struct Description {
    uint64_t parent = 0;
    std::string name;
    bool is_process = false;
    bool is_thread = false;
    int64_t pid = 0;
    int64_t tid = 0;
    std::string process_name;
    std::string thread_name;
    Counter counter;
  };
  struct Used {
    uint64_t uuid;
    uint32_t track;
  };
  uint32_t NewTrack(EventBlock::TrackKey key = {});
  // The nearest track above with a process, or null.
  const Description* ProcessAbove(uint64_t uuid) const;
  void FinishTrack(const Used& used, std::unordered_map<std::string, uint32_t>& names);

  BlockWriter& out_;
  std::unordered_map<uint64_t, Description> described_;
  std::unordered_map<uint64_t, uint32_t> used_;
  std::vector<Used> order_;
  std::unordered_map<uint64_t, uint32_t> threads_;  // (pid, tid)
  std::unordered_map<std::string, uint32_t> own_;
  std::unordered_map<int64_t, std::string> process_names_;
  uint64_t last_uuid_ = 0;
  uint32_t last_track_ = kNoRow;
};

}  // namespace stepscope::perfetto
