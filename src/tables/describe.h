#pragma once

#include <span>
#include <string>
#include <string_view>

#include "tables/column.h"

// What stands outside C++ about declared tables. `make generate` writes it into files; a test
// compares.
namespace stepscope::tables {

// The JSON schema of a row, as a value under $defs of docs/report.schema.json.
std::string SchemaOf(const TableFacts& table);

// A table of Markdown: name, type, unit, null rule, join, meaning in English and Chinese.
std::string MarkdownOf(const TableFacts& table);

// The row of a table as `report --json` has it: `export interface OpRow {…}`.
std::string TypeScriptTypeOf(const TableFacts& table);
// What the page needs to know of its columns: `ops: […],`.
std::string TypeScriptColumnsOf(const TableFacts& table);

// The names of the columns of a Python table: `OpsColumn = Literal[…]`.
std::string PythonTypeOf(const TableFacts& table);
// "OpsColumn"
std::string PythonTypeName(std::string_view table);

// The name of a column in Python.
inline std::string_view PythonName(const Column& column) {
  return column.python.empty() ? column.name : column.python;
}

}  // namespace stepscope::tables
