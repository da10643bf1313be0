#pragma once

#include <cstdint>
#include <initializer_list>
#include <optional>
#include <span>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "io/sqlite.h"
#include "read/block_writer.h"
#include "read/nsys/recording.h"
#include "trace/event_block.h"

namespace stepscope::nsys {

// What one task reads: rows of one table.
struct TableBlock {
  EventBlock block;
  // Tracks of the block that get their names when all blocks are known.
  struct ThreadTrack {
    uint32_t track;
    int64_t global_tid;
  };
  struct StreamTrack {
    uint32_t track;
    int32_t gpu;
    int64_t process;
    int64_t stream;
    bool waits;  // beside the row of the stream's work
  };
  std::vector<ThreadTrack> threads;
  std::vector<StreamTrack> streams;
  bool torch_ranges = false;
  bool shapes = false;
  std::optional<Error> fault;
};

// Turns rows into events of a TableBlock.
class TableReader {
 public:
  TableReader(const Recording& recording, TableBlock& into, std::string_view table)
      : recording_(recording), into_(into), out_(into.block), table_(table) {}

  const Recording& recording() const { return recording_; }
  BlockWriter& out() { return out_; }
  TableBlock& block() { return into_; }

  // The text of a string id in this block.
  StringId Text(int64_t id);
  // The same without the version that the exporter appends to names of CUDA's calls.
  StringId CallName(int64_t id);

  // What a column says, as a string id or, in some exports, as text.
  StringId TextIn(const SqliteRows& row, int column) {
    const StringId text = Text(row.Integer(column, -1));
    if (text != kEmptyString || row.TypeOf(column) != SqliteRows::Type::kText) return text;
    return out_.Intern(row.Text(column));
  }
  // The first of these columns that says something. Where none does, the table's name is what is
  // known of its rows.
  StringId FirstTextIn(const SqliteRows& row, std::initializer_list<int> columns);

  // A name made from numbers, made once per key. Not together with Text in one table.
  template <typename Make>
  StringId Made(int64_t key, Make make) {
    const auto [at, is_new] = texts_.try_emplace(key);
    if (is_new) at->second = into_.block.strings.Intern(make());
    return at->second;
  }

  enum class Row : uint8_t { kThread, kScheduling, kFiles, kStream, kWaits, kCounters, kFaults };
  uint32_t Thread(int64_t global_tid, Row row = Row::kThread);
  uint32_t Stream(int32_t gpu, int64_t process, int64_t stream, Row row = Row::kStream);

  // A moment; no value where the column holds none: text, bytes, a number that no time can have.
  static std::optional<int64_t> Time(const SqliteRows& row, int column) {
    if (row.TypeOf(column) == SqliteRows::Type::kInteger) return row.Integer(column);
    return UnusualTime(row, column);
  }
  // Begins an event with a start and an end; false where they are no time.
  bool Timed(const SqliteRows& row, int start, int end, int64_t& begin, int64_t& duration);

 private:
  static std::optional<int64_t> UnusualTime(const SqliteRows& row, int column);

  const Recording& recording_;
  TableBlock& into_;
  BlockWriter out_;
  std::string_view table_;
  std::unordered_map<int64_t, StringId> texts_;
};

// How the rows of a table become events.
struct EventTable {
  std::string_view name;
  std::span<const std::string_view> columns;
  void (*read)(const SqliteRows& rows, TableReader& reader);
  // Reads the whole table by itself, for tables whose rows belong together.
  void (*read_all)(const SqliteFile& file, const SqliteFile::Table& table,
                   TableReader& reader) = nullptr;
};

// Tables with events that Stepscope knows, in the order in which they become blocks.
std::span<const EventTable> DeviceTables();
std::span<const EventTable> HostTables();
// Any other table of what threads did: start, end, globalTid; MPI, UCX, OpenACC, cuBLAS and more.
const EventTable* HostCallTable(const SqliteFile::Table& table);
// Tables that describe and hold no events.
bool IsDescription(std::string_view table);

}  // namespace stepscope::nsys
