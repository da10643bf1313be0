#pragma once

#include <span>
#include <string_view>

#include "analyze/raw/trace_rows.h"
#include "tables/column.h"

namespace stepscope::tables {

// A table over the trace itself, row by row: what SQL, export and Python show. Names are Perfetto's
// (slice, track, ts, dur) where it has them. Each list of columns stands in raw/*_columns.h.
//
// Read a column with `borrow` (the engine's memory, where it lies in one piece), else with `fill`
// in stretches of some thousand rows, or cell by cell with `cell`.
struct RawTable {
  TableFacts facts;
  uint32_t (*count)(const TraceRows& rows);

  RowSource Rows(const TraceRows& rows) const { return {&rows, nullptr, count(rows)}; }
};

std::span<const RawTable> RawTables();
// nullptr where there is none of that name.
const RawTable* FindRawTable(std::string_view name);

}  // namespace stepscope::tables
