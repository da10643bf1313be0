// Writes the files that say outside C++ what the tables are: generate_tables [--check] ROOT. With
// --check it writes nothing and fails where a file is not what it would write.
#include <fmt/format.h>

#include <cstdio>
#include <fstream>
#include <sstream>
#include <string>
#include <string_view>
#include <vector>

#include "advise/finding_columns.h"
#include "analyze/raw/raw_tables.h"
#include "analyze/report_tables.h"
#include "present/quality_columns.h"
#include "tables/describe.h"

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
  const std::vector<File> files{{"docs/report.schema.json", schema},
                                {"docs/tables.md", Markdown(report, raw)},
                                {"web/src/generated/tables.ts", TypeScript(report)},
                                {"python/stepscope/_columns.py", Python(report, raw)}};
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
