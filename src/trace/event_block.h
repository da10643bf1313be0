#pragma once

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "base/diagnostics.h"
#include "base/string_table.h"
#include "trace/trace.h"

namespace stepscope {

// pid or tid as the file spells it: a number or a text. "1" and 1 are the same key, as in all
// viewers.
struct IdKey {
  int64_t number = 0;
  StringId text = kEmptyString;  // block-local; not empty when the key is no number
  friend bool operator==(const IdKey&, const IdKey&) = default;
};

// The events of one piece of a file in file order, filled by one task of a reader: columns, locally
// interned strings, nothing shared with other tasks. The builder joins blocks in file order, so the
// number of threads never shows. All StringIds, track numbers and args rows are local to the block.
// Times are as in the file, in ns.
struct EventBlock {
  struct TrackKey {
    IdKey process;
    IdKey thread;
    TrackKind kind = TrackKind::kThread;
    StringId scope =
        kEmptyString;  // asynchronous spans: category and id, which take the place of the thread
    friend bool operator==(const TrackKey&, const TrackKey&) = default;
  };
  // Begin and end halves (B/E, b/n/e, S/T/F), matched by the builder per track in time order.
  struct Half {
    int64_t time = 0;
    StringId name = kEmptyString;
    uint32_t track = 0;
    uint32_t event = 0;
    uint32_t args = kNoRow;
    Kind kind = Kind::kOther;
    bool begin = true;
  };
  enum class MetadataKey : uint8_t {
    kProcessName,
    kProcessLabels,
    kProcessSortIndex,
    kThreadName,
    kThreadSortIndex
  };
  struct Metadata {
    uint32_t track = 0;
    MetadataKey key = MetadataKey::kThreadName;
    StringId text = kEmptyString;
    int64_t number = 0;
  };

  StringTable strings;
  std::vector<TrackKey> tracks;

  // Spans that stand in the slices already (TraceBuilder::Adopt): these rows, all of them on track
  // 0. The columns below are empty then; args are rows of the block's own tables, names its
  // strings.
  RowRange placed;
  // Likewise args of device work: so many rows of the adopted table are the block's, which come in
  // the order of the blocks. Block-local rows count from the first of them; device_args has no rows
  // then, only what rows have in common.
  uint32_t placed_device_args = 0;

  // Spans.
  std::vector<int64_t> start;
  std::vector<int64_t> duration;
  std::vector<StringId> name;
  std::vector<uint32_t> track;
  std::vector<uint32_t> event;  // ordinal within the block
  std::vector<uint32_t> args;   // row in the block's table for the kind, or kNoRow
  std::vector<Kind> kind;
  std::vector<uint8_t> flags;

  std::vector<OpArgs> op_args;
  std::vector<CallArgs> call_args;
  DeviceTable device_args;
  std::vector<CollectiveArgs> collectives;
  std::vector<FrameArgs> frame_args;

  std::vector<Half> halves;
  std::vector<Flow> flows;  // TimeNs as in the file; track holds the block's track number
  std::vector<Instant> instants;
  std::vector<std::pair<CounterSample, uint32_t>> counters;  // with the block's track number
  std::vector<Allocation> allocations;
  std::vector<Metadata> metadata;

  uint64_t offset = 0;       // in the (decompressed) file, at or before its first event
  uint64_t event_count = 0;  // entries in this piece of the file, whatever became of them
  uint64_t diagnosed = 0;    // entries that ended in a diagnostic and are not stored
  Diagnostics diagnostics;
};

}  // namespace stepscope
