#include "read/rocpd/rocpd_reader.h"

#include <string>
#include <utility>
#include <vector>

#include "read/rocpd/event_tables.h"
#include "read/rocpd/process_tables.h"
#include "read/sqlite_tables.h"
#include "trace/trace_builder.h"
#include "words/read.h"

namespace stepscope {
namespace {

constexpr SayFrom<kReadTexts> Say;

using namespace rocpd;

constexpr std::string_view kMetadata = "rocpd_metadata";

// The suffixes of the tables, one for each process.
std::vector<std::string> SuffixesOf(const SqliteFile& file) {
  std::vector<std::string> suffixes;
  for (const SqliteFile::Table& table : file.tables()) {
    if (!table.name.starts_with(kMetadata)) continue;
    const std::string suffix = table.name.substr(kMetadata.size());
    // RPD has a table of the same name; its events lie elsewhere.
    if (file.Find("rocpd_event" + suffix) != nullptr) suffixes.push_back(suffix);
  }
  return suffixes;
}

struct Piece {
  const ProcessTables* process = nullptr;
  const EventTable* how = nullptr;
  const SqliteFile::Table* table = nullptr;
};

std::vector<Piece> PiecesOf(const SqliteFile& file, const std::vector<ProcessTables>& processes,
                            Diagnostics& diagnostics) {
  std::vector<Piece> pieces;
  for (const ProcessTables& process : processes) {
    for (const EventTable& how : EventTables()) {
      const SqliteFile::Table* table = file.Find(process.Table(how.name));
      if (table != nullptr) pieces.push_back({&process, &how, table});
    }
  }
  for (const SqliteFile::Table& table : file.tables()) {
    bool known = IsDescription(table.name);
    for (const Piece& piece : pieces) known |= piece.table == &table;
    for (const ProcessTables& process : processes) {
      known |= table.name.ends_with(process.suffix) &&
               IsDescription(table.name.substr(0, table.name.size() - process.suffix.size()));
    }
    if (!known && !file.IsEmpty(table)) {
      diagnostics.Add(Diagnostic::kTableSkipped, 1, std::nullopt, table.name);
    }
  }
  return pieces;
}

RunFacts FactsOf(const SqliteFile& file, const std::vector<ProcessTables>& processes) {
  RunFacts facts;
  facts.format = Format::kRocprof;
  for (const ProcessTables& process : processes) {
    ForEachRow(file, process.Table(kMetadata), {"tag", "value"}, [&](const SqliteRows& row) {
      if (row.Text(0) == "schema_version") {
        facts.notes["rocpd_schema_version"] = std::to_string(row.Integer(1));
      }
    });
  }
  return facts;
}

}  // namespace

bool IsRocpd(const SqliteFile& file) { return !SuffixesOf(file).empty(); }

std::vector<const SqliteFile::Table*> RocpdEventTables(const SqliteFile& file) {
  std::vector<const SqliteFile::Table*> tables;
  for (const std::string& suffix : SuffixesOf(file)) {
    for (const EventTable& how : EventTables()) {
      const SqliteFile::Table* table = file.Find(std::string(how.name) + suffix);
      if (table != nullptr) tables.push_back(table);
    }
  }
  return tables;
}

Result<Trace> ReadRocpd(const SqliteFile& file, const OpenOptions& options, TaskPool& pool,
                        Diagnostics& diagnostics) {
  Gpus gpus;
  std::vector<ProcessTables> processes;
  for (std::string& suffix : SuffixesOf(file)) {
    const auto number = static_cast<int64_t>(processes.size());
    processes.push_back(ReadProcessTables(file, std::move(suffix), number, gpus));
    for (const std::string& table : processes.back().damaged) {
      diagnostics.Add(Diagnostic::kDatabaseDamaged, 1, std::nullopt, table);
    }
    if (options.stop.stop_requested()) return std::unexpected(Interrupted(file.path()));
  }
  gpus.Number();

  const std::vector<Piece> pieces = PiecesOf(file, processes, diagnostics);
  std::vector<TableBlock> blocks(pieces.size());
  ReadBlocks(file, options, pool, blocks, [&](const SqliteFile& connection, size_t i) {
    pieces[i].how->read(connection, *pieces[i].table, *pieces[i].process, gpus, blocks[i]);
  });
  if (options.stop.stop_requested()) return std::unexpected(Interrupted(file.path()));

  RunFacts facts = FactsOf(file, processes);
  TraceBuilder builder;
  EventCounts counts;
  for (size_t i = 0; i < blocks.size(); ++i) {
    counts.by_plane[pieces[i].table->name] += blocks[i].block.event_count;
    facts.has_shapes |= blocks[i].shapes;
    if (blocks[i].torch_ranges) facts.framework = "PyTorch";
    if (blocks[i].fault) {
      diagnostics.Add(Diagnostic::kDatabaseDamaged, 1, std::nullopt, pieces[i].table->name);
    }
    builder.Append(std::move(blocks[i].block));
  }
  if (builder.events_so_far() == 0) {
    return Fail(ErrorCode::kDamaged, Say("read.rocpd-empty"), file.path(), Say("read.rocpd-again"));
  }
  Trace trace = std::move(builder).Build(std::move(facts), gpus.devices(), std::move(counts), {},
                                         pool, diagnostics);
  trace.facts.has_memory = !trace.allocations.empty();
  trace.path = file.path();
  return trace;
}

}  // namespace stepscope
