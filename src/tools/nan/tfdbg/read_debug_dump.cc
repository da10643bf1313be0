#include "tools/nan/tfdbg/debug_dump.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <filesystem>
#include <tuple>

#include "io/tfrecord.h"
#include "read/protobuf/wire.h"
#include "tools/nan/tfdbg/debug_event.h"
#include "words/tools.h"

namespace stepscope {
namespace {

constexpr SayFrom<kToolsTexts> Say;

namespace fs = std::filesystem;

constexpr std::string_view kPrefix = "tfdbg_events.";
// In the order in which they are read: what others refer to comes first.
constexpr std::array<std::string_view, 6> kSuffixes{".metadata",     ".source_files",
                                                    ".stack_frames", ".graphs",
                                                    ".execution",    ".graph_execution_traces"};

constexpr size_t kTraces = 5;  // the only kind that is read from hosts other than the first

struct DumpFile {
  size_t kind;
  std::string set;  // what the names of one writer's files share
  std::string path;
};

std::vector<DumpFile> FilesOf(const std::string& directory) {
  std::vector<DumpFile> files;
  std::error_code error;
  for (fs::directory_iterator entry(directory, error), end; !error && entry != end;
       entry.increment(error)) {
    const std::string name = entry->path().filename().string();
    if (!name.starts_with(kPrefix)) continue;
    for (size_t kind = 0; kind < kSuffixes.size(); ++kind) {
      if (!name.ends_with(kSuffixes[kind])) continue;
      const std::string set = name.substr(0, name.size() - kSuffixes[kind].size());
      files.push_back({kind, set, entry->path().string()});
    }
  }
  std::ranges::sort(files, {}, [](const DumpFile& f) { return std::tie(f.kind, f.path); });
  return files;
}

double FirstWallTime(const std::string& path) {
  const Result<RecordFile> opened = OpenRecordFile(path);
  if (!opened) return HUGE_VAL;
  RecordStream records(*opened->bytes);
  if (records.Next() != RecordStream::Outcome::kRecord) return HUGE_VAL;
  for (WireReader r(records.data()); r.Next();) {
    if (r.field() == 1) return r.Double();
  }
  return HUGE_VAL;
}

// The set whose metadata is the oldest: frames and files of the others are numbered on their own.
std::string MainSetOf(const std::vector<DumpFile>& files) {
  std::string main = files.front().set;
  double oldest = HUGE_VAL;
  for (const DumpFile& file : files) {
    if (file.kind != 0) continue;
    const double wall_time = FirstWallTime(file.path);
    if (wall_time >= oldest) continue;
    oldest = wall_time;
    main = file.set;
  }
  return main;
}

void ReadFile(const std::string& path, DebugEvents& events, std::vector<DebugDamage>& damage) {
  const Result<RecordFile> opened = OpenRecordFile(path);
  if (!opened) {
    damage.push_back({path, 0, opened.error().sentence});
    return;
  }
  RecordStream records(*opened->bytes);
  for (;;) {
    switch (records.Next()) {
      case RecordStream::Outcome::kRecord:
        if (!events.Add(records.data())) {
          damage.push_back({path, records.offset(), Say("nan.no-event")});
        }
        continue;
      case RecordStream::Outcome::kDamage:
        damage.push_back(
            {path, records.damage().offset,
             Say("nan.skipped", SentenceOf(records.damage().kind), records.damage().skipped)});
        continue;
      case RecordStream::Outcome::kEnd:
        if (records.cut_bytes() > 0) {
          damage.push_back({path, records.cut_offset(), Say("nan.still-written")});
        }
        return;
    }
  }
}

// Traces of several hosts become one order; those of one host keep theirs where times are equal.
void SortByTime(std::vector<DebugTrace>& traces) {
  std::vector<std::pair<double, size_t>> order;
  for (size_t i = 0; i < traces.size(); ++i) order.emplace_back(traces[i].wall_time, i);
  std::ranges::sort(order);
  std::vector<DebugTrace> sorted;
  for (const auto& [wall_time, i] : order) sorted.push_back(std::move(traces[i]));
  traces = std::move(sorted);
}

}  // namespace

const DebugOp* DebugGraph::Find(std::string_view op_name) const {
  const auto at = index.find(std::string(op_name));
  return at == index.end() ? nullptr : &ops[at->second];
}

const DebugGraph* DebugDump::FindGraph(std::string_view id) const {
  const auto at = std::ranges::find(graphs, id, &DebugGraph::id);
  return at == graphs.end() ? nullptr : &*at;
}

bool IsDebugDump(const std::string& directory) { return !FilesOf(directory).empty(); }

Result<DebugDump> ReadDebugDump(const std::string& directory) {
  const std::vector<DumpFile> files = FilesOf(directory);
  if (files.empty()) {
    return Fail(ErrorCode::kCannotRead, Say("nan.no-dump"), directory, Say("nan.give-root"));
  }
  DebugEvents events;
  std::vector<DebugDamage> damage;
  const std::string main = MainSetOf(files);
  bool several = false;
  for (const DumpFile& file : files) {
    several |= file.set != main;
    if (file.set == main || file.kind == kTraces) ReadFile(file.path, events, damage);
  }
  DebugDump dump = events.Finish();
  if (several) SortByTime(dump.traces);
  dump.damage = std::move(damage);
  return dump;
}

}  // namespace stepscope
