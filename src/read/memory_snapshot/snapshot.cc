#include "read/memory_snapshot/snapshot.h"

#include <algorithm>
#include <array>
#include <unordered_map>
#include <utility>

#include "io/byte_source.h"
#include "read/memory_snapshot/stacks.h"
#include "read/pickle/pickle.h"
#include "words/tools.h"

namespace stepscope {
namespace {

constexpr SayFrom<kToolsTexts> Say;

using Action = MemorySnapshot::Action;

Action ActionOf(std::string_view name) {
  constexpr auto kNames = std::to_array<std::pair<std::string_view, Action>>({
      {"alloc", Action::kAlloc},
      {"free_requested", Action::kFreeRequested},
      {"free_completed", Action::kFreeCompleted},
      {"segment_alloc", Action::kSegmentAlloc},
      {"segment_map", Action::kSegmentAlloc},
      {"segment_free", Action::kSegmentFree},
      {"segment_unmap", Action::kSegmentFree},
      {"oom", Action::kOutOfMemory},
  });
  for (const auto& [known, action] : kNames) {
    if (known == name) return action;
  }
  return Action::kOther;
}

class SnapshotReader {
 public:
  SnapshotReader(const Pickle& pickle, MemorySnapshot& into) : pickle_(pickle), into_(into) {}

  bool Read() {
    const Pickle::Handle root = pickle_.root();
    const bool bare = pickle_.TypeOf(root) == Pickle::Type::kList;
    const Pickle::Handle segments = bare ? root : pickle_.Get(root, "segments");
    if (pickle_.TypeOf(segments) != Pickle::Type::kList) return false;
    for (const Pickle::Handle segment : pickle_.Items(segments)) ReadSegment(segment);
    if (bare) return true;
    for (const Pickle::Handle trace : pickle_.Items(pickle_.Get(root, "device_traces"))) {
      auto& events = into_.traces.emplace_back();
      events.reserve(pickle_.Items(trace).size());
      for (const Pickle::Handle event : pickle_.Items(trace)) ReadEvent(event, events);
    }
    for (const Pickle::Handle mark : pickle_.Items(pickle_.Get(root, "external_annotations"))) {
      auto& marks = TextOf(mark, "stage") == "START" ? into_.marks : into_.mark_ends;
      marks.push_back({into_.strings.Intern(TextOf(mark, "name")), Number(mark, "device"),
                       Number(mark, "time_us")});
    }
    std::ranges::stable_sort(into_.marks, {}, &MemorySnapshot::Mark::time_us);
    std::ranges::stable_sort(into_.mark_ends, {}, &MemorySnapshot::Mark::time_us);
    into_.expandable_segments =
        Number(pickle_.Get(root, "allocator_settings"), "expandable_segments") != 0;
    return true;
  }

 private:
  int64_t Number(Pickle::Handle dict, std::string_view key) const {
    return pickle_.Integer(pickle_.Get(dict, key));
  }
  std::string_view TextOf(Pickle::Handle dict, std::string_view key) const {
    return pickle_.Text(pickle_.Get(dict, key));
  }

  void ReadSegment(Pickle::Handle dict) {
    auto& segment = into_.segments.emplace_back();
    segment.device = Number(dict, "device");
    segment.total = Number(dict, "total_size");
    segment.allocated = Number(dict, "allocated_size");
    for (const Pickle::Handle id : pickle_.Items(pickle_.Get(dict, "segment_pool_id"))) {
      segment.private_pool |= pickle_.Integer(id) != 0;
    }
    auto address = static_cast<uint64_t>(Number(dict, "address"));
    for (const Pickle::Handle of : pickle_.Items(pickle_.Get(dict, "blocks"))) {
      auto& block = segment.blocks.emplace_back();
      block.size = Number(of, "size");
      // Older snapshots give no address; the blocks of a segment lie one after the other.
      const auto own = static_cast<uint64_t>(Number(of, "address"));
      block.address = own != 0 ? own : address;
      address = block.address + static_cast<uint64_t>(block.size);
      block.active = TextOf(of, "state") != "inactive";
      Pickle::Handle described = of;
      const auto history = pickle_.Items(pickle_.Get(of, "history"));  // before PyTorch 2.1
      if (!history.empty()) described = history[0];
      const bool has_requested = !pickle_.IsNone(pickle_.Get(of, "requested_size"));
      block.requested = has_requested ? Number(of, "requested_size") : block.size;
      const Stack stack = StackOf(pickle_.Get(described, "frames"));
      block.site = stack.site;
      block.module = stack.module;
    }
  }

  void ReadEvent(Pickle::Handle dict, std::vector<MemorySnapshot::Event>& events) {
    auto& event = events.emplace_back();
    event.action = ActionOf(TextOf(dict, "action"));
    const bool oom = event.action == Action::kOutOfMemory;
    event.address = static_cast<uint64_t>(Number(dict, oom ? "device_free" : "addr"));
    event.size = Number(dict, "size");
    event.time_us = Number(dict, "time_us");
    if (event.action != Action::kAlloc) return;
    const Stack stack = StackOf(pickle_.Get(dict, "frames"));
    event.site = stack.site;
    event.module = stack.module;
  }

  struct Stack {
    StringId site = kEmptyString;
    StringId module = kEmptyString;
  };
  // Stacks are shared, so each is looked at once.
  Stack StackOf(Pickle::Handle frames) {
    const auto [at, is_new] = stacks_.try_emplace(frames);
    if (!is_new) return at->second;
    read_.clear();
    for (const Pickle::Handle frame : pickle_.Items(frames)) {
      read_.push_back({TextOf(frame, "name"), TextOf(frame, "filename"), Number(frame, "line")});
    }
    at->second = {into_.strings.Intern(SiteIn(read_)), into_.strings.Intern(ModuleIn(read_))};
    return at->second;
  }

  const Pickle& pickle_;
  MemorySnapshot& into_;
  std::unordered_map<Pickle::Handle, Stack> stacks_;
  std::vector<StackFrame> read_;
};

}  // namespace

Result<MemorySnapshot> ParseMemorySnapshot(std::string_view bytes, const std::string& path) {
  const Result<Pickle> pickle = Pickle::Parse(bytes, path);
  if (!pickle) return std::unexpected(pickle.error());
  MemorySnapshot snapshot;
  if (!SnapshotReader(*pickle, snapshot).Read()) {
    return Fail(ErrorCode::kUnsupported, Say("memory.not-snapshot"), path, Say("memory.give"));
  }
  return snapshot;
}

Result<MemorySnapshot> ReadMemorySnapshot(const std::string& path) {
  const Result<FileBytes> bytes = ReadWhole(path, uint64_t{1} << 36);
  if (!bytes) return std::unexpected(bytes.error());
  if (bytes->damaged()) return std::unexpected(*bytes->damage());
  return ParseMemorySnapshot({bytes->bytes().data(), bytes->bytes().size()}, path);
}

}  // namespace stepscope
