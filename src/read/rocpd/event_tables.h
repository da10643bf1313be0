#pragma once

#include <optional>
#include <span>
#include <string_view>

#include "io/sqlite.h"
#include "read/block_writer.h"
#include "read/rocpd/process_tables.h"

namespace stepscope::rocpd {

// What one task reads: one table of one process.
struct TableBlock {
  EventBlock block;
  bool torch_ranges = false;
  bool shapes = false;
  std::optional<Error> fault;
};

struct EventTable {
  std::string_view name;  // without the suffix of the process
  void (*read)(const SqliteFile& file, const SqliteFile::Table& table, const ProcessTables& process,
               const Gpus& gpus, TableBlock& into);
};

// Tables with events, in the order in which they become blocks.
std::span<const EventTable> EventTables();
// Tables that describe and hold no events.
bool IsDescription(std::string_view name);

}  // namespace stepscope::rocpd
