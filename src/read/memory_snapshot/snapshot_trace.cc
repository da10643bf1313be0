#include "read/memory_snapshot/snapshot_trace.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>
#include <vector>

#include "read/block_writer.h"
#include "read/memory_snapshot/snapshot.h"
#include "trace/trace_builder.h"
#include "words/read.h"

namespace stepscope {
namespace {

constexpr SayFrom<kReadTexts> Say;

using Action = MemorySnapshot::Action;

constexpr int64_t kNsPerUs = 1000;
// Times that do not fit into nanoseconds are nobody's.
constexpr int64_t kLatestUs = INT64_MAX / kNsPerUs;

// What an event adds to the bytes that the program asked for, and to those taken from the device.
int64_t LiveChange(const MemorySnapshot::Event& event) {
  if (event.action == Action::kAlloc) return event.size;
  return event.action == Action::kFreeRequested ? -event.size : 0;
}
int64_t ReservedChange(const MemorySnapshot::Event& event) {
  if (event.action == Action::kSegmentAlloc) return event.size;
  return event.action == Action::kSegmentFree ? -event.size : 0;
}

std::string_view NameOfAction(Action action) {
  switch (action) {
    case Action::kFreeCompleted:
      return "free completed";
    case Action::kSegmentAlloc:
      return "segment taken from the device";
    case Action::kSegmentFree:
      return "segment given back";
    case Action::kOutOfMemory:
      return "out of memory";
    case Action::kAlloc:
    case Action::kFreeRequested:
    case Action::kOther:
      break;
  }
  return "other action of the allocator";
}

class SnapshotWriter {
 public:
  SnapshotWriter(const MemorySnapshot& snapshot, EventBlock& block)
      : snapshot_(snapshot), out_(block) {}

  void Write() {
    for (size_t device = 0; device < snapshot_.traces.size(); ++device) {
      if (!snapshot_.traces[device].empty()) WriteDevice(static_cast<int32_t>(device));
    }
    WriteMarks();
  }
  std::vector<Device> TakeDevices() { return std::move(devices_); }

 private:
  bool BeginAt(int64_t time_us) {
    out_.BeginEvent();
    if (time_us >= 0 && time_us <= kLatestUs) return true;
    out_.Diagnose(Diagnostic::kEventWithoutTime);
    return false;
  }

  uint32_t Row(int64_t number, std::string_view name) {
    return out_.Track({0, number, 0}, [&](EventBlock::TrackKey& key) {
      key.process.text = out_.Intern("PyTorch");
      key.thread.text = out_.Intern(name);
    });
  }

  void WriteDevice(int32_t device) {
    devices_.emplace_back().index = device;
    const std::vector<MemorySnapshot::Event>& events =
        snapshot_.traces[static_cast<size_t>(device)];
    int64_t live = 0, reserved = 0;
    for (const MemorySnapshot::Segment& segment : snapshot_.segments) {
      if (segment.device != device) continue;
      reserved += segment.total;
      for (const MemorySnapshot::Block& one : segment.blocks)
        live += one.active ? one.requested : 0;
    }
    for (const MemorySnapshot::Event& event : events) {
      live -= LiveChange(event);
      reserved -= ReservedChange(event);
    }
    const uint32_t row = Row(device, fmt::format("allocator of GPU {}", device));
    for (const MemorySnapshot::Event& event : events) {
      live += LiveChange(event);
      reserved += ReservedChange(event);
      if (!BeginAt(event.time_us)) continue;
      const int64_t time = event.time_us * kNsPerUs;
      if (LiveChange(event) == 0) {
        out_.Instant(time, out_.Intern(NameOfAction(event.action)), row);
        continue;
      }
      Allocation allocation;
      allocation.time = TimeNs{time};
      allocation.bytes = LiveChange(event);
      allocation.total_allocated = live;
      allocation.total_reserved = reserved;
      allocation.address = event.address;
      allocation.track = TrackId{row};
      allocation.event = out_.event();
      allocation.device = device;
      if (event.action == Action::kAlloc) {
        allocation.op = out_.Intern(snapshot_.strings[event.site]);
      }
      out_.block().allocations.push_back(allocation);
    }
  }

  // Every device has its own entry for an annotation of the program; those of one device are it.
  void WriteMarks() {
    WriteHalves(snapshot_.marks, true);
    WriteHalves(snapshot_.mark_ends, false);
  }
  void WriteHalves(const std::vector<MemorySnapshot::Mark>& marks, bool begin) {
    for (const MemorySnapshot::Mark& mark : marks) {
      if (!BeginAt(mark.time_us)) continue;
      const uint32_t row = Row(-1 - std::max<int64_t>(mark.device, 0),
                               fmt::format("annotations of GPU {}", mark.device));
      out_.Half(mark.time_us * kNsPerUs, out_.Intern(snapshot_.strings[mark.name]), row,
                Kind::kAnnotation, begin);
    }
  }

  const MemorySnapshot& snapshot_;
  BlockWriter out_;
  std::vector<Device> devices_;
};

}  // namespace

Result<Trace> ReadSnapshotTrace(std::string_view bytes, const std::string& path, TaskPool& pool,
                                Diagnostics& diagnostics) {
  const Result<MemorySnapshot> snapshot = ParseMemorySnapshot(bytes, path);
  if (!snapshot) return std::unexpected(snapshot.error());
  EventBlock block;
  SnapshotWriter writer(*snapshot, block);
  writer.Write();
  TraceBuilder builder;
  builder.Append(std::move(block));
  if (builder.events_so_far() == 0) {
    return Fail(ErrorCode::kUnsupported, Say("read.no-history"), path, Say("read.record-history"));
  }
  RunFacts facts;
  facts.format = Format::kMemorySnapshot;
  facts.framework = "PyTorch";
  facts.has_memory = true;
  Trace trace =
      std::move(builder).Build(std::move(facts), writer.TakeDevices(), {}, {}, pool, diagnostics);
  trace.path = path;
  return trace;
}

}  // namespace stepscope
