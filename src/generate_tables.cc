// Writes the files that say outside C++ what the tables are: generate_tables [--check] ROOT. With
// --check it writes nothing and fails where a file is not what it would write.
#include <fmt/format.h>

#include <cstdio>
#include <fstream>
#include <sstream>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "advise/finding_columns.h"
#include "analyze/raw/raw_tables.h"
#include "analyze/report_tables.h"
#include "fleet/fleet_tables.h"
#include "present/quality_columns.h"
#include "tables/describe.h"
#include "trace/format.h"

namespace stepscope::tables {
namespace {

constexpr std::string_view kMadeBy =
    "Made by `make generate` from the lists of columns in src; do not edit.";

std::string ReadAll(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  std::stringstream text;
  text << file.rdbuf();
  return text.str();
}

std::vector<TableFacts> ReportFacts() {
  std::vector<TableFacts> facts;
  for (const ReportTable* table : ReportTables()) facts.push_back(table->facts);
  facts.push_back(kQuality);
  return facts;
}

std::vector<TableFacts> RawFacts() {
  std::vector<TableFacts> facts;
  for (const RawTable& table : RawTables()) facts.push_back(table.facts);
  facts.push_back(kFindings);
  return facts;
}

// The schema as it stands, with the definitions of tables replaced. False where one has no place.
bool PutSchema(const TableFacts& table, std::string& schema) {
  const std::string key = fmt::format("\n    \"{}\": {{", table.schema);
  const size_t found = schema.find(key);
  if (found == std::string::npos) return false;
  const size_t value = found + key.size() - 1;
  const size_t end = schema.find("\n    }", value);
  if (end == std::string::npos) return false;
  schema.replace(value, end + 6 - value, SchemaOf(table));
  return true;
}

// The names of formats, in the schema's list.
bool PutFormats(std::string& schema) {
  constexpr std::string_view kKey = "\"format\": {\n          \"enum\": [";
  const size_t found = schema.find(kKey);
  const size_t end = schema.find(']', found);
  if (found == std::string::npos || end == std::string::npos) return false;
  std::string names;
  for (const FormatFacts& facts : kFormats) {
    names += fmt::format("{}\"{}\"", names.empty() ? "" : ", ", facts.name);
  }
  schema.replace(found + kKey.size(), end - found - kKey.size(), names);
  return true;
}

std::string Markdown(std::span<const TableFacts> report, std::span<const TableFacts> raw) {
  std::string out = fmt::format("<!-- {} -->\n", kMadeBy);
  out +=
      "# Tables and their columns\n\n"
      "All times are whole nanoseconds since the first event of the profile. An unknown value is "
      "`null` in JSON (or its key is\n"
      "left out), an empty cell in CSV, and in Python -1, NaN or an empty text.\n\n"
      "时间均为整数纳秒，从记录的第一个事件算起。未知的值在 JSON 中为 `null`（或没有该键），在 CSV "
      "中为空，在 Python 中为 -1、NaN 或空文本。\n\n"
      "# Tables of the report\n"
      "What `report --json`, `report --csv` and the Python package show. （报告中的表）\n";
  for (const TableFacts& table : report) out += fmt::format("\n{}", MarkdownOf(table));
  out +=
      "\n# Tables of the trace\n"
      "The profile itself, row by row. Names are Perfetto's where it has them. In Python, `slices` "
      "and `tracks` show them. （原始数据表）\n";
  for (const TableFacts& table : raw) out += fmt::format("\n{}", MarkdownOf(table));
  return out;
}

std::string TypeScript(std::span<const TableFacts> report) {
  std::string out = fmt::format("// {}\n\n", kMadeBy);
  for (const TableFacts& table : report) out += TypeScriptTypeOf(table) + "\n";
  out +=
      "export interface DeclaredColumn {\n  key: string;\n  title: { en: string; zh: string };\n"
      "  kind: 'number' | 'text' | 'bool' | 'list';\n"
      "  unit: '' | 'ms' | 'us' | 'bytes' | 'percent';\n  brief: boolean;\n  bar: boolean;\n}\n\n"
      "/** The columns that the page shows, from left to right. */\n"
      "export const declared = {\n";
  for (const TableFacts& table : report) out += TypeScriptColumnsOf(table);
  return out + "} satisfies Record<string, DeclaredColumn[]>;\n";
}

std::string Python(std::span<const TableFacts> report, std::span<const TableFacts> raw) {
  std::string out = fmt::format("\"\"\"{}\"\"\"\n\nfrom typing import Literal\n", kMadeBy);
  for (const TableFacts& table : report) {
    if (!table.python.empty()) out += "\n" + PythonTypeOf(table);
  }
  for (const TableFacts& table : raw) {
    if (!table.python.empty()) out += "\n" + PythonTypeOf(table);
  }
  return out;
}

std::string FleetMarkdown() {
  std::string out = fmt::format("<!-- {} -->\n", kMadeBy);
  out += fmt::format(
      "# Tables of a fleet\n\n"
      "What `stepscope fleet analyze` keeps of every profile ([fleet.md](fleet.md)). Times are "
      "whole nanoseconds; `…_unix_ns` counts\n"
      "from 1970. The metadata of a Parquet file has `stepscope.schema` = `{}`.\n\n"
      "`stepscope fleet analyze` 为每份性能数据保留的内容。时间均为整数纳秒；`…_unix_ns` 从 1970 "
      "年算起。\n",
      fleet::kTablesVersion);
  const auto add = [&](const fleet::Table& table) {
    // All files have all columns: nothing is said about where a column is.
    out += fmt::format("\n{}", MarkdownOf({.name = table.name,
                                           .meaning = table.meaning,
                                           .columns = table.columns,
                                           .schema = table.name}));
  };
  for (const fleet::Table& table : fleet::kTables) add(table);
  add(fleet::kRankTable);
  return out;
}

std::string_view FleetKind(CellType type) {
  switch (type) {
    case CellType::kReal:
      return "real";
    case CellType::kBool:
      return "bool";
    case CellType::kText:
    case CellType::kName:
      return "text";
    case CellType::kInt:
    case CellType::kRecord:
    case CellType::kRows:
      return "int";
  }
  std::unreachable();
}

std::string FleetPython() {
  std::string out = fmt::format("\"\"\"{}\"\"\"\n\n", kMadeBy);
  out += fmt::format(
      "from __future__ import annotations\n\nVERSION = \"{}\"\n\n"
      "# Name and kind: int, real, bool, text.\n"
      "TABLES: dict[str, tuple[tuple[str, str], ...]] = {{\n",
      fleet::kTablesVersion);
  const auto columns = [](const fleet::Table& table) {
    std::string lines;
    for (const Column& column : table.columns) {
      lines += fmt::format("        (\"{}\", \"{}\"),\n", column.name, FleetKind(column.type));
    }
    return lines;
  };
  for (const fleet::Table& table : fleet::kTables) {
    out += fmt::format("    \"{}\": (\n{}    ),\n", table.name, columns(table));
  }
  out +=
      "}\n\n# With what the second pass adds.\nALL_TABLES: dict[str, tuple[tuple[str, str], ...]] "
      "= {\n";
  out += fmt::format("    **TABLES,\n    \"{}\": (\n{}    ),\n", fleet::kRankTable.name,
                     columns(fleet::kRankTable));
  return out + "}\n";
}

struct File {
  std::string path;
  std::string text;
};

int Run(bool check, const std::string& root) {
  const std::vector<TableFacts> report = ReportFacts(), raw = RawFacts();
  std::string schema = ReadAll(root + "/docs/report.schema.json");
  for (const TableFacts& table : report) {
    if (PutSchema(table, schema)) continue;
    fmt::print(stderr, "docs/report.schema.json has no place for \"{}\" under $defs\n",
               table.schema);
    return 1;
  }
  if (!PutFormats(schema)) {
    fmt::print(stderr, "docs/report.schema.json has no list of formats\n");
    return 1;
  }
  const std::vector<File> files{{"docs/report.schema.json", schema},
                                {"docs/tables.md", Markdown(report, raw)},
                                {"web/src/generated/tables.ts", TypeScript(report)},
                                {"python/stepscope/_columns.py", Python(report, raw)},
                                {"docs/fleet-tables.md", FleetMarkdown()},
                                {"python/stepscope/fleet/_columns.py", FleetPython()}};
  int stale = 0;
  for (const File& file : files) {
    const std::string path = root + "/" + file.path;
    if (ReadAll(path) == file.text) continue;
    ++stale;
    if (check) {
      fmt::print(stderr, "{} does not say what the lists of columns say: run `make generate`\n",
                 file.path);
    } else {
      std::ofstream(path, std::ios::binary) << file.text;
      fmt::print("wrote {}\n", file.path);
    }
  }
  return check && stale > 0 ? 1 : 0;
}

}  // namespace
}  // namespace stepscope::tables

int main(int count, char** words) {
  const bool check = count == 3 && std::string_view(words[1]) == "--check";
  if (count != 2 && !check) {
    fmt::print(stderr, "usage: generate_tables [--check] ROOT\n");
    return 2;
  }
  return stepscope::tables::Run(check, words[count - 1]);
}
