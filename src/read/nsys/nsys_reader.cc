#include "read/nsys/nsys_reader.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <set>
#include <utility>
#include <vector>

#include "read/nsys/event_tables.h"
#include "read/nsys/global_id.h"
#include "read/nsys/recording.h"
#include "read/sqlite_tables.h"
#include "trace/trace_builder.h"
#include "words/read.h"

namespace stepscope {
namespace {

constexpr SayFrom<kReadTexts> Say;

using namespace nsys;

// Rows of one table that one task reads. The borders depend on the file alone.
struct Piece {
  const SqliteFile::Table* table = nullptr;
  const EventTable* how = nullptr;
  std::optional<SqliteFile::RowIds> rows;
  uint64_t most_rows = 0;  // it may have fewer
};

void AddPieces(const SqliteFile& file, const SqliteFile::Table& table, const EventTable& how,
               std::vector<Piece>& pieces) {
  constexpr uint64_t kRowsPerPiece = uint64_t{1} << 17;
  constexpr uint64_t kMostPieces = 4096;
  const SqliteFile::RowIds ids = file.RowIdsOf(table);
  const uint64_t count = static_cast<uint64_t>(ids.last) - static_cast<uint64_t>(ids.first) + 1;
  if (how.read_all != nullptr || ids.last < ids.first || count <= kRowsPerPiece) {
    pieces.push_back({&table, &how, std::nullopt, ids.last < ids.first ? 0 : count});
    return;
  }
  const uint64_t step = std::max(kRowsPerPiece, count / kMostPieces + 1);
  for (uint64_t at = 0; at < count; at += step) {
    const auto first = static_cast<int64_t>(static_cast<uint64_t>(ids.first) + at);
    const auto last =
        static_cast<int64_t>(static_cast<uint64_t>(ids.first) + std::min(at + step, count) - 1);
    pieces.push_back({&table, &how, SqliteFile::RowIds{first, last}, std::min(step, count)});
  }
}

std::vector<Piece> PiecesOf(const SqliteFile& file, Diagnostics& diagnostics) {
  std::vector<Piece> pieces;
  std::set<std::string_view> known;
  for (const auto tables : {DeviceTables(), HostTables()}) {
    for (const EventTable& how : tables) {
      known.insert(how.name);
      const SqliteFile::Table* table = file.Find(how.name);
      if (table != nullptr) AddPieces(file, *table, how, pieces);
    }
  }
  for (const SqliteFile::Table& table : file.tables()) {
    if (known.contains(table.name)) continue;
    if (const EventTable* how = HostCallTable(table)) {
      AddPieces(file, table, *how, pieces);
    } else if (!IsDescription(table.name) && !file.IsEmpty(table)) {
      diagnostics.Add(Diagnostic::kTableSkipped, 1, std::nullopt, table.name);
    }
  }
  return pieces;
}

// Room for the rows of a piece: columns that grow by doubling touch twice the memory.
void Reserve(const Piece& piece, EventBlock& block) {
  constexpr uint64_t kFew = 1024, kMost = uint64_t{1} << 20;
  if (piece.most_rows < kFew || piece.how->read_all != nullptr) return;
  const auto rows = static_cast<size_t>(std::min(piece.most_rows, kMost));
  block.start.reserve(rows);
  block.duration.reserve(rows);
  block.name.reserve(rows);
  block.track.reserve(rows);
  block.event.reserve(rows);
  block.args.reserve(rows);
  block.kind.reserve(rows);
  block.flags.reserve(rows);
  const auto is_one_of = [&](std::span<const EventTable> tables) {
    return piece.how >= tables.data() && piece.how < tables.data() + tables.size();
  };
  if (is_one_of(DeviceTables())) block.device_args.reserve(rows);
  if (piece.table->name == "CUPTI_ACTIVITY_KIND_RUNTIME") block.call_args.reserve(rows);
}

void ReadPiece(const SqliteFile& file, const Piece& piece, const Recording& recording,
               TableBlock& into) {
  TableReader reader(recording, into, piece.table->name);
  if (piece.how->read_all != nullptr) {
    piece.how->read_all(file, *piece.table, reader);
    return;
  }
  Result<SqliteRows> rows = file.Read(*piece.table, piece.how->columns, piece.rows);
  if (!rows) {
    into.fault = std::move(rows.error());
    return;
  }
  Reserve(piece, into.block);
  while (rows->Next()) piece.how->read(*rows, reader);
  into.fault = rows->fault();
}

// Names of threads and streams that have events. Streams of several processes on one GPU are kept
// apart by the process.
void NameTracks(const Recording& recording, std::vector<TableBlock>& blocks) {
  std::map<int32_t, std::set<int64_t>> processes_on;
  for (const TableBlock& block : blocks) {
    for (const auto& stream : block.streams) processes_on[stream.gpu].insert(stream.process);
  }
  using enum EventBlock::MetadataKey;
  for (TableBlock& read : blocks) {
    EventBlock& block = read.block;
    const auto name = [&](uint32_t track, EventBlock::MetadataKey key, std::string_view text) {
      if (!text.empty()) block.metadata.push_back({track, key, block.strings.Intern(text), 0});
    };
    for (const auto& [track, global_tid] : read.threads) {
      const auto process = recording.process_names.find(ProcessOf(global_tid));
      if (process != recording.process_names.end()) name(track, kProcessName, process->second);
      const auto thread = recording.thread_names.find(global_tid);
      if (thread != recording.thread_names.end()) {
        name(track, kThreadName, recording.strings[thread->second]);
      }
    }
    for (const auto& stream : read.streams) {
      std::string text = fmt::format("stream {}", stream.stream);
      if (processes_on[stream.gpu].size() > 1) {
        text += fmt::format(" of process {}", stream.process & 0xffffff);
        block.tracks[stream.track].thread.text = block.strings.Intern(text);
      }
      if (stream.waits) {
        block.tracks[stream.track].scope = block.strings.Intern(text + " waits");
      } else {
        name(stream.track, kThreadName, text);
      }
    }
  }
}

}  // namespace

// Exports that people have cut down may lack the strings, or what was said about the export. The
// numbers of processes and threads are nsys's own: no other program's tables have them.
bool IsNsysExport(const SqliteFile& file) {
  if (file.Find("StringIds") != nullptr &&
      (file.Find("META_DATA_EXPORT") != nullptr || file.Find("EXPORT_META_DATA") != nullptr)) {
    return true;
  }
  return std::ranges::any_of(file.tables(), [](const SqliteFile::Table& table) {
    return table.Has("start") && (table.Has("globalTid") || table.Has("globalPid"));
  });
}

std::vector<const SqliteFile::Table*> NsysEventTables(const SqliteFile& file) {
  Diagnostics ignored;
  std::vector<const SqliteFile::Table*> tables;
  for (const Piece& piece : PiecesOf(file, ignored)) {
    if (tables.empty() || tables.back() != piece.table) tables.push_back(piece.table);
  }
  return tables;
}

Result<Trace> ReadNsys(const SqliteFile& file, const OpenOptions& options, TaskPool& pool,
                       Diagnostics& diagnostics) {
  Result<Recording> recording = ReadRecording(file, diagnostics);
  if (!recording) return std::unexpected(std::move(recording.error()));
  const std::vector<Piece> pieces = PiecesOf(file, diagnostics);
  std::vector<TableBlock> blocks(pieces.size());
  ReadBlocks(file, options, pool, blocks, [&](const SqliteFile& connection, size_t i) {
    ReadPiece(connection, pieces[i], *recording, blocks[i]);
  });
  if (options.stop.stop_requested()) return std::unexpected(Interrupted(file.path()));

  NameTracks(*recording, blocks);
  TraceBuilder builder;
  EventCounts counts;
  for (size_t i = 0; i < blocks.size(); ++i) {
    counts.by_plane[pieces[i].table->name] += blocks[i].block.event_count;
    recording->facts.has_shapes |= blocks[i].shapes;
    if (blocks[i].torch_ranges) recording->facts.framework = "PyTorch";
    if (blocks[i].fault) {
      diagnostics.Add(Diagnostic::kDatabaseDamaged, 1, std::nullopt, pieces[i].table->name);
    }
    builder.Append(std::move(blocks[i].block));
  }
  if (builder.events_so_far() == 0) {
    return Fail(ErrorCode::kDamaged, Say("read.nsys-empty"), file.path(), Say("read.nsys-again"));
  }
  Trace trace = std::move(builder).Build(
      std::move(recording->facts), std::move(recording->devices), std::move(counts),
      {recording->start_unix_ns.has_value(), recording->start_unix_ns.value_or(0)}, pool,
      diagnostics);
  if (trace.device_args.empty() && trace.call_args.empty()) {
    diagnostics.Say(Diagnostic::kNotRecorded, Say("read.nsys-no-gpu"));
  }
  trace.facts.has_memory = !trace.allocations.empty();
  trace.path = file.path();
  return trace;
}

}  // namespace stepscope
