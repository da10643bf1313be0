#include "read/perfetto/tracks.h"

#include <fmt/format.h>

#include "read/perfetto/perfetto_fields.h"
#include "read/protobuf/wire.h"

namespace stepscope::perfetto {
namespace {

// Programs are known by their own name; where they lie on the machine stays there.
std::string ProgramName(std::string_view path) {
  return std::string(path.substr(path.find_last_of('/') + 1));
}

uint64_t ThreadKey(int64_t pid, int64_t tid) {
  return (static_cast<uint64_t>(pid) << 32) ^ (static_cast<uint64_t>(tid) & 0xffffffff);
}

}  // namespace

void Tracks::AddDescriptor(std::string_view message) {
  Description read;
  uint64_t uuid = 0;
  for (WireReader field(message); field.Next();) {
    switch (field.field()) {
      case kTrackUuid:
        uuid = field.Unsigned();
        break;
      case kTrackParent:
        read.parent = field.Unsigned();
        break;
      case kTrackName:
      case kTrackStaticName:
      case kTrackAtraceName:
        read.name = field.Bytes();
        break;
      case kTrackProcess:
        read.is_process = true;
        for (WireReader process(field.Bytes()); process.Next();) {
          if (process.field() == kProcessPid) read.pid = static_cast<int32_t>(process.Signed());
          if (process.field() == kProcessName) read.process_name = ProgramName(process.Bytes());
        }
        break;
      case kTrackThread:
        read.is_thread = true;
        for (WireReader thread(field.Bytes()); thread.Next();) {
          if (thread.field() == kThreadPid) read.pid = static_cast<int32_t>(thread.Signed());
          if (thread.field() == kThreadTid) read.tid = thread.Signed();
          if (thread.field() == kThreadName) read.thread_name = thread.Bytes();
        }
        break;
      case kTrackCounter:
        read.counter.is_counter = true;
        for (WireReader counter(field.Bytes()); counter.Next();) {
          if (counter.field() == kCounterMultiplier && counter.Signed() != 0) {
            read.counter.multiplier = counter.Signed();
          }
          if (counter.field() == kCounterIncremental) read.counter.incremental = counter.Bool();
          if (counter.field() == kCounterType) {
            read.counter.name = counter.Unsigned() == 1 ? "thread time" : "thread instructions";
          }
        }
        break;
      default:
        break;
    }
  }
  // What a later descriptor leaves out stays as it was; a counter begins anew.
  Description& known = described_[uuid];
  if (read.is_process && !read.process_name.empty()) process_names_[read.pid] = read.process_name;
  if (read.name.empty()) read.name = std::move(known.name);
  if (read.process_name.empty()) read.process_name = std::move(known.process_name);
  if (read.thread_name.empty()) read.thread_name = std::move(known.thread_name);
  known = std::move(read);
}

void Tracks::AddProcessTree(std::string_view message) {
  for (WireReader field(message); field.Next();) {
    int64_t pid = 0, tid = 0;
    std::string name;
    for (WireReader inner(field.Bytes()); inner.Next();) {
      if (field.field() == kTreeProcess) {
        if (inner.field() == 1) pid = inner.Signed();
        if (inner.field() == 3 && name.empty()) name = ProgramName(inner.Bytes());
      } else if (field.field() == kTreeThread) {
        if (inner.field() == 1) tid = inner.Signed();
        if (inner.field() == 2) name = inner.Bytes();
        if (inner.field() == 3) pid = inner.Signed();
      }
    }
    if (field.field() == kTreeProcess && !name.empty()) process_names_[pid] = name;
    if (field.field() == kTreeThread && !name.empty()) NameThread(pid, tid, name);
  }
}

uint32_t Tracks::NewTrack(EventBlock::TrackKey key) {
  out_.block().tracks.push_back(key);
  return static_cast<uint32_t>(out_.block().tracks.size() - 1);
}

uint32_t Tracks::Use(uint64_t uuid) {
  if (uuid == last_uuid_ && last_track_ != kNoRow) return last_track_;
  const auto [at, is_new] = used_.try_emplace(uuid, 0);
  if (is_new) {
    at->second = NewTrack();
    order_.push_back({uuid, at->second});
  }
  last_uuid_ = uuid;
  last_track_ = at->second;
  return at->second;
}

uint32_t Tracks::UseThread(int64_t pid, int64_t tid) {
  const auto [at, is_new] = threads_.try_emplace(ThreadKey(pid, tid), 0);
  if (is_new) {
    EventBlock::TrackKey key;
    key.process.number = pid;
    key.thread.number = tid;
    at->second = NewTrack(key);
  }
  return at->second;
}

void Tracks::NameThread(int64_t pid, int64_t tid, std::string_view name) {
  out_.Name(UseThread(pid, tid), EventBlock::MetadataKey::kThreadName, name);
}

uint32_t Tracks::UseOwn(std::string_view process, std::string_view row, TrackKind kind) {
  const auto [at, is_new] = own_.try_emplace(fmt::format("{}\n{}", process, row), 0);
  if (is_new) {
    EventBlock::TrackKey key;
    key.process.text = out_.Intern(process);
    key.thread.text = out_.Intern(row);
    key.kind = kind;
    at->second = NewTrack(key);
    out_.Name(at->second, EventBlock::MetadataKey::kProcessName, process);
    out_.Name(at->second, EventBlock::MetadataKey::kThreadName, row);
  }
  return at->second;
}

StringId Tracks::CounterName(uint64_t uuid) {
  const auto at = described_.find(uuid);
  if (at == described_.end()) return out_.Intern("counter");
  Counter& counter = at->second.counter;
  if (counter.interned == kEmptyString) {
    const bool named = !at->second.name.empty() || !counter.name.empty();
    const std::string& own = at->second.name.empty() ? counter.name : at->second.name;
    counter.interned = out_.Intern(named ? std::string_view(own) : "counter");
  }
  return counter.interned;
}

const Tracks::Description* Tracks::ProcessAbove(uint64_t uuid) const {
  constexpr int kDeepest = 64;
  for (int depth = 0; depth < kDeepest; ++depth) {
    const auto at = described_.find(uuid);
    if (at == described_.end()) return nullptr;
    if (at->second.is_process || at->second.is_thread) return &at->second;
    if (at->second.parent == 0 || at->second.parent == uuid) return nullptr;
    uuid = at->second.parent;
  }
  return nullptr;
}

void Tracks::FinishTrack(const Used& used, std::unordered_map<std::string, uint32_t>& names) {
  EventBlock::TrackKey key;
  const auto at = described_.find(used.uuid);
  const Description* process = ProcessAbove(used.uuid);
  std::string process_key = "trace";
  if (process != nullptr) {
    key.process.number = process->pid;
    process_key = std::to_string(process->pid);
    const auto named = process_names_.find(process->pid);
    if (named != process_names_.end()) {
      out_.Name(used.track, EventBlock::MetadataKey::kProcessName, named->second);
    }
  } else {
    key.process.text = out_.Intern(process_key);
  }
  std::string name = at == described_.end() ? std::string() : at->second.name;
  if (at != described_.end() && at->second.is_thread) {
    key.thread.number = at->second.tid;
    name = at->second.thread_name;
  } else {
    if (name.empty()) name = at != described_.end() && at->second.is_process ? "process" : "track";
    // Tracks of one name are rows of their own.
    const uint32_t number = ++names[process_key + '\n' + name];
    if (number > 1) name += fmt::format(" ({})", number);
    key.thread.text = out_.Intern(name);
  }
  if (!name.empty()) out_.Name(used.track, EventBlock::MetadataKey::kThreadName, name);
  out_.block().tracks[used.track] = key;
}

void Tracks::Finish() {
  std::unordered_map<std::string, uint32_t> names;
  for (const Used& used : order_) FinishTrack(used, names);
  for (const auto& [key, track] : threads_) {
    const int64_t pid = out_.block().tracks[track].process.number;
    const auto named = process_names_.find(pid);
    if (named != process_names_.end()) {
      out_.Name(track, EventBlock::MetadataKey::kProcessName, named->second);
    }
  }
}

}  // namespace stepscope::perfetto
