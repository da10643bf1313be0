#include <fmt/format.h>

#include <algorithm>
#include <utility>
#include <vector>

#include "tables/column_of.h"
#include "tables/describe.h"

namespace stepscope::tables {
namespace {

std::string_view TypeNameOf(CellType type) {
  switch (type) {
    case CellType::kInt:
      return "integer";
    case CellType::kReal:
      return "real";
    case CellType::kBool:
      return "bool";
    case CellType::kText:
    case CellType::kName:
      return "text";
    case CellType::kRecord:
      return "object";
    case CellType::kRows:
      return "list";
  }
  std::unreachable();
}

// Text in a cell of Markdown.
std::string Escaped(std::string_view text) {
  std::string out;
  for (const char c : text) {
    if (c == '|') out += '\\';
    out += c;
  }
  return out;
}

std::string_view NullsInWords(Nulls nulls) {
  switch (nulls) {
    case Nulls::kNever:
      return "";
    case Nulls::kNull:
      return "where unknown";
    case Nulls::kAbsent:
      return "left out";
  }
  std::unreachable();
}

void AddRows(Columns columns, std::string_view prefix, Shown table_shows, std::string& out) {
  for (const Column& column : columns) {
    const std::string name =
        column.name.empty() ? std::string(prefix) : fmt::format("{}{}", prefix, column.name);
    std::string where;
    const auto say = [&](Shown bit, std::string_view word) {
      if (column.shown & bit) where += fmt::format("{}{}", where.empty() ? "" : ", ", word);
    };
    say(kInJson, "JSON");
    say(kInCsv, "CSV");
    say(kInPython, "Python");
    if (column.shown == table_shows) where.clear();
    if (!column.python.empty()) where = fmt::format("Python: `{}`", column.python);
    if (column.hidden) where = "named only";
    out += fmt::format("| `{}` | {} | {} | {} | {} | {} | {} | {} |\n", name,
                       TypeNameOf(column.type), NameOf(column.unit), NullsInWords(column.nulls),
                       column.joins, where, Escaped(column.meaning.en), Escaped(column.meaning.zh));
    if (column.inner.empty() || column.schema.contains("$ref")) continue;
    const bool list = column.type == CellType::kRows;
    AddRows(column.inner, fmt::format("{}{}", name, list ? "[]." : "."), kEverywhere, out);
  }
}

std::string_view TypeScriptTypeOf(const Column& column) {
  switch (column.type) {
    case CellType::kInt:
    case CellType::kReal:
      return "number";
    case CellType::kBool:
      return "boolean";
    case CellType::kText:
    case CellType::kName:
      return column.shapes ? "unknown" : "string";
    case CellType::kRecord:
    case CellType::kRows:
      return "";
  }
  std::unreachable();
}

std::string InterfaceOf(Columns columns, std::string_view indent);

std::string TypeOf(const Column& column, std::string_view indent) {
  if (column.inner.empty()) {
    const std::string type(TypeScriptTypeOf(column));
    return column.nulls == Nulls::kNull && !column.shapes ? type + " | null" : type;
  }
  const bool plain = column.inner.size() == 1 && column.inner[0].name.empty();
  std::string inner = plain ? std::string(TypeScriptTypeOf(column.inner[0]))
                            : InterfaceOf(column.inner, fmt::format("{}  ", indent));
  if (column.schema.contains("device_step")) inner = "DeviceStep";
  if (column.type == CellType::kRows) return inner + "[]";
  return column.nulls == Nulls::kNull ? inner + " | null" : inner;
}

std::string InterfaceOf(Columns columns, std::string_view indent) {
  std::string out = "{\n";
  for (const Column& column : columns) {
    if (!(column.shown & kInJson)) continue;
    out += fmt::format("{}  /** {}. */\n", indent, column.meaning.en);
    out += fmt::format("{}  {}{}: {};\n", indent, column.name,
                       column.nulls == Nulls::kAbsent ? "?" : "", TypeOf(column, indent));
  }
  return out += fmt::format("{}}}", indent);
}

}  // namespace

std::string MarkdownOf(const TableFacts& table) {
  std::string out =
      fmt::format("## {}\nA row is {}. （{}）\n\n", table.name, table.meaning.en, table.meaning.zh);
  out += "| column | type | unit | null | joins | where | meaning | 含义 |\n";
  out += "|---|---|---|---|---|---|---|---|\n";
  // Raw tables are not in JSON; what is said of a column is where it differs from its table.
  const bool raw = table.schema.empty();
  const Shown shows = !raw ? kEverywhere : table.python.empty() ? kInCsv : kInTables;
  AddRows(table.columns, "", shows, out);
  return out;
}

std::string TypeScriptTypeOf(const TableFacts& table) {
  return fmt::format("/** A row of {}: {}. */\nexport interface {} {}\n", table.name,
                     table.meaning.en, table.type, InterfaceOf(table.columns, ""));
}

std::string TypeScriptColumnsOf(const TableFacts& table) {
  std::vector<const Column*> shown;
  for (const Column& column : table.columns) {
    if (column.page.place != 0) shown.push_back(&column);
  }
  if (shown.empty()) return "";
  std::ranges::sort(shown, {}, [](const Column* column) { return column->page.place; });
  std::string out = fmt::format("  {}: [\n", table.name);
  for (const Column* column : shown) {
    const bool list = !column->inner.empty();
    const std::string_view kind = list                                    ? "list"
                                  : column->type == CellType::kBool       ? "bool"
                                  : TypeScriptTypeOf(*column) == "number" ? "number"
                                                                          : "text";
    const std::string_view unit = column->unit != Unit::kNs ? NameOf(column->unit)
                                  : column->page.micro      ? "us"
                                                            : "ms";
    out += fmt::format(
        "    {{\n      key: '{}',\n      title: {{ en: '{}', zh: '{}' }},\n      kind: '{}',\n"
        "      unit: '{}',\n      brief: {},\n      bar: {},\n    }},\n",
        column->name, column->title.en, column->title.zh, kind, unit, column->page.brief,
        column->page.bar);
  }
  return out += "  ],\n";
}

std::string PythonTypeName(std::string_view table) {
  std::string name;
  bool upper = true;
  for (const char c : table) {
    if (c == '_') {
      upper = true;
      continue;
    }
    name += upper ? static_cast<char>(c - 'a' + 'A') : c;
    upper = false;
  }
  return name + "Column";
}

std::string PythonTypeOf(const TableFacts& table) {
  std::string out = fmt::format("{} = Literal[\n", PythonTypeName(table.python));
  for (const Column& column : table.columns) {
    if (column.shown & kInPython) out += fmt::format("    \"{}\",\n", PythonName(column));
  }
  return out + "    \"trace\",\n]\n";
}

}  // namespace stepscope::tables
