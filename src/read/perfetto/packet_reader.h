#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "read/block_writer.h"
#include "read/perfetto/clocks.h"
#include "read/perfetto/flows.h"
#include "read/perfetto/open_slices.h"
#include "read/perfetto/perfetto_fields.h"
#include "read/perfetto/sequence.h"
#include "read/perfetto/tracks.h"
#include "trace/event_block.h"

namespace stepscope::perfetto {

// The fields of a TracePacket that every kind of packet may have.
struct Packet {
  std::optional<uint64_t> timestamp;
  std::optional<uint32_t> clock;
  uint32_t sequence = 0;
  uint64_t flags = 0;
  bool dropped = false;
  std::string_view interned;
  std::string_view defaults;
  uint32_t kind = 0;  // field number of the payload
  std::string_view payload;
};

// Turns packets into events of one block, in file order.
class PacketReader {
 public:
  // `joins`: begins and ends are joined as they are read, as long as in_order() holds.
  explicit PacketReader(EventBlock& block, bool joins = true);
  ~PacketReader();

  // One TracePacket; false where its fields are damaged (what came before is kept). Does nothing
  // once in_order() is false.
  bool Read(std::string_view bytes);
  // Keys of tracks, arrows: what only the whole trace tells.
  void Finish();
  const Clocks& clocks() const { return clocks_; }
  uint64_t lost_packets() const { return lost_packets_; }
  bool in_order() const { return open_slices_.in_order(); }

 private:
  struct Event;

  void ReadPayload(const Packet& packet, Sequence& sequence);
  std::optional<int64_t> TimeOf(const Packet& packet, const Sequence& sequence);
  void ReadTrackEvent(const Packet& packet, Sequence& sequence);
  void ParseEvent(std::string_view message, const Sequence& sequence, Event& event);
  static void ParseLegacy(std::string_view message, const Sequence& sequence, Event& event);
  uint32_t TrackOf(const Event& event, const Sequence& sequence);
  void StoreEvent(const Event& event, const Sequence& sequence, uint32_t track, int64_t time);
  void StoreCounter(uint64_t uuid, double value, int64_t time);
  void StoreExtraCounters(const Event& event, const Sequence& sequence, int64_t time);
  void ReadRenderStage(const Packet& packet, const Sequence& sequence);
  void ReadGpuCounters(const Packet& packet, const Sequence& sequence);
  StringId GpuCounterName(const Sequence::GpuCounters* own, uint64_t gpu, uint64_t id);
  void ReadFtrace(std::string_view message);
  void ReadFtraceEvent(uint32_t cpu, std::string_view message);
  void ReadPrint(int64_t tid, int64_t time, std::string_view text);
  void SwitchTo(uint32_t cpu, int64_t time, int64_t pid, std::string_view name);
  void ReadThreadDescriptor(std::string_view message, Sequence& sequence);

  BlockWriter out_;
  Tracks tracks_;
  OpenSlices open_slices_;
  const bool joins_;
  Clocks clocks_;
  Flows flows_;
  std::unordered_map<uint32_t, Sequence> sequences_;
  Sequence* last_sequence_ = nullptr;
  std::unordered_map<uint64_t, std::string> gpu_counter_names_;  // (gpu, id)
  struct Running {
    int64_t since = 0;
    int64_t pid = 0;
    StringId name = kEmptyString;
  };
  std::unordered_map<uint32_t, Running> running_;  // by CPU
  uint64_t lost_packets_ = 0;
  std::unique_ptr<Event> event_;  // of the packet at hand: its vectors keep their memory
  std::vector<uint64_t> numbers_;
};

}  // namespace stepscope::perfetto
