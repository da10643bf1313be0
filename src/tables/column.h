#pragma once

#include <cstdint>
#include <deque>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/ids.h"
#include "base/language.h"

// A table is a list of columns that stands once, beside its row struct. JSON, CSV, the JSON schema,
// docs/tables.md, Python, the page's types and headings, SQL and export all read that list.
namespace stepscope::tables {

enum class CellType : uint8_t {
  kInt,   // int64
  kReal,  // double
  kBool,
  kText,
  kName,    // text that is a StringId of the trace: dictionaries come for free
  kRecord,  // one row of another list, JSON only
  kRows,    // many rows of another list, JSON only; a list whose only column has no name: plain
            // values
};
enum class Unit : uint8_t { kNone, kNs, kBytes, kPercent };
std::string_view NameOf(Unit unit);  // "", "ns", "bytes", "percent"

// What an unknown value is. CSV leaves the cell empty, SQL and Arrow have NULL, Python has -1, NaN
// or "".
enum class Nulls : uint8_t {
  kNever,
  kNull,    // null in JSON
  kAbsent,  // the key is left out in JSON
};

// Where a column is shown; bits.
enum Shown : uint8_t {
  kInJson = 1,
  kInCsv = 2,
  kInPython = 4,
  kEverywhere = kInJson | kInCsv | kInPython,
  kInTables = kInCsv | kInPython,
};

struct Words {
  std::string_view en, zh;
};

// How the page shows a column.
struct OnPage {
  uint8_t place = 0;   // from left to right, 1 is the first; 0: not shown
  bool brief = false;  // in the short tables of the overview, too
  bool bar = false;    // a bar behind the number
  bool micro = false;  // times in microseconds instead of milliseconds
};

// Where rows are: structs one after another, or rows of a context that the columns know by number.
struct RowSource {
  const void* context = nullptr;  // the Trace where `rows` is set
  const void* rows = nullptr;
  uint32_t count = 0;
  Language language = Language::kEnglish;  // of cells that are messages
};
// Rows that may have been made for the occasion.
struct TableRows {
  RowSource source;
  std::shared_ptr<const void> owner = nullptr;
};

struct Cell {
  CellType type = CellType::kInt;
  bool null = false;
  int64_t integer = 0;  // kInt, kBool, and the StringId of kName
  double real = 0;
  std::string_view text = {};
};

// Many cells of one column: the vector of its type has one value a row; `valid` is empty where no
// cell is null.
struct ColumnValues {
  std::vector<int64_t> integers;
  std::vector<double> reals;
  std::vector<uint8_t> truths;
  std::vector<std::string_view> texts;
  std::vector<StringId> names;
  std::vector<uint8_t> valid;
  std::deque<std::string> own;  // texts that were made for the occasion
};

// A column as it lies in memory: `bytes` wide integers one after another.
struct BorrowedColumn {
  const void* data = nullptr;
  size_t rows = 0;
  uint8_t bytes = 8;
};

struct Column {
  std::string_view name;  // empty: the values of a plain list
  Words meaning;
  Words title = {};  // heading on the page
  Unit unit = Unit::kNone;
  Nulls nulls = Nulls::kNever;
  Shown shown = kEverywhere;
  bool below_zero = false;       // a length of time that may be negative
  bool shapes = false;           // nested lists of sizes as text: JSON shows the lists
  bool hidden = false;           // SQL shows it only when it is named
  bool row_number = false;       // the number of the row: SQL finds the row by it at once
  std::string_view joins = {};   // "slice.id"
  std::string_view schema = {};  // its JSON schema, where the type does not say enough
  std::string_view python = {};  // its name in Python, where that is another
  uint8_t codes = 0;             // of an enum that lies in memory: how many names it has
  OnPage page = {};
  // Of<>, RowsOf<> and RecordOf<> set what follows.
  CellType type = CellType::kInt;
  bool natural = false;  // never below zero
  // One cell. Text may lie in `scratch`.
  Cell (*cell)(const RowSource& source, uint32_t row, std::string& scratch) = nullptr;
  // Rows first .. first + count at once: a loop without a call per cell.
  void (*fill)(const RowSource& source, uint32_t first, uint32_t count,
               ColumnValues& out) = nullptr;
  // The column as it lies in memory; nullptr where it is worked out.
  BorrowedColumn (*borrow)(const RowSource& source) = nullptr;
  std::string_view (*code)(uint8_t code) = nullptr;  // the name behind a code, see `codes`
  std::span<const Column> inner = {};                // of kRecord and kRows
  TableRows (*rows)(const RowSource& source, uint32_t row) = nullptr;
};

using Columns = std::span<const Column>;

// A table's name in SQL, Python, CSV and docs, and what a row of it is.
struct TableFacts {
  std::string_view name;
  Words meaning;
  Columns columns;
  std::string_view schema = {};  // its name under $defs of docs/report.schema.json, if it is there
  std::string_view type = {};    // its type in TypeScript: "OpRow"
  std::string_view python = {};  // its name in Python, if it is there
};

}  // namespace stepscope::tables
