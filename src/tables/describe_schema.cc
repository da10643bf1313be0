#include <fmt/format.h>

#include <utility>

#include "tables/describe.h"

namespace stepscope::tables {
namespace {

constexpr size_t kWidth = 130;

std::string ObjectOf(Columns columns, size_t indent);

std::string Quoted(std::string_view text) {
  std::string out = "\"";
  for (const char c : text) {
    if (c == '"' || c == '\\') out += '\\';
    out += c;
  }
  return out += '"';
}

std::string_view TypeNameOf(const Column& column) {
  switch (column.type) {
    case CellType::kInt:
      return "integer";
    case CellType::kReal:
      return "number";
    case CellType::kBool:
      return "boolean";
    case CellType::kText:
    case CellType::kName:
      return "string";
    case CellType::kRecord:
      return "object";
    case CellType::kRows:
      return "array";
  }
  std::unreachable();
}

std::string TypesOf(const Column& column) {
  const bool null = column.nulls == Nulls::kNull;
  const std::string name = Quoted(TypeNameOf(column));
  if (column.shapes) return R"(["array", "string", "null"])";
  return null ? fmt::format("[{}, \"null\"]", name) : name;
}

// A schema text with a description in it.
std::string Described(std::string_view schema, std::string_view meaning) {
  if (schema.contains('\n')) {
    return fmt::format("{{\"description\": {},{}{}", Quoted(meaning), schema[1] == '\n' ? "" : " ",
                       schema.substr(1));
  }
  return fmt::format("{}, \"description\": {}}}", schema.substr(0, schema.size() - 1),
                     Quoted(meaning));
}

std::string InnerOf(const Column& column, size_t indent) {
  const bool plain = column.inner.size() == 1 && column.inner[0].name.empty();
  if (column.type == CellType::kRecord) {
    const std::string object = ObjectOf(column.inner, indent);
    if (column.nulls != Nulls::kNull) return object;
    return fmt::format(R"({{"anyOf": [{{"type": "null"}}, {}]}})", object);
  }
  return fmt::format(R"({{"type": "array", "items": {}}})",
                     plain
                         ? fmt::format(R"({{"type": {}, "minimum": 0}})", TypesOf(column.inner[0]))
                         : ObjectOf(column.inner, indent));
}

std::string PropertyOf(const Column& column, size_t indent) {
  std::string schema(column.schema);
  if (schema.empty() && !column.inner.empty()) schema = InnerOf(column, indent);
  if (schema.empty()) {
    const bool bounded = column.natural && column.nulls != Nulls::kNull;
    schema =
        fmt::format(R"({{"type": {}{}}})", TypesOf(column), bounded ? R"(, "minimum": 0)" : "");
  }
  return Described(schema, column.meaning.en);
}

std::string RequiredOf(Columns columns, size_t indent) {
  std::string line, lines;
  for (const Column& column : columns) {
    if (!(column.shown & kInJson) || column.nulls == Nulls::kAbsent) continue;
    line += fmt::format("{}{}", line.empty() ? "" : ", ", Quoted(column.name));
    lines +=
        fmt::format("{}\n{:{}}{}", lines.empty() ? "" : ",", "", indent + 4, Quoted(column.name));
  }
  if (line.size() + indent < kWidth - 20) return fmt::format("[{}]", line);
  return fmt::format("[{}\n{:{}}]", lines, "", indent + 2);
}

std::string ObjectOf(Columns columns, size_t indent) {
  std::string properties;
  for (const Column& column : columns) {
    if (!(column.shown & kInJson)) continue;
    properties += fmt::format("{}\n{:{}}{}: {}", properties.empty() ? "" : ",", "", indent + 4,
                              Quoted(column.name), PropertyOf(column, indent + 4));
  }
  const std::string pad(indent, ' ');
  return fmt::format(
      "{{\n{0}  \"type\": \"object\",\n{0}  \"properties\": {{{1}\n{0}  }},\n"
      "{0}  \"required\": {2},\n{0}  \"additionalProperties\": false\n{0}}}",
      pad, properties, RequiredOf(columns, indent));
}

}  // namespace

std::string SchemaOf(const TableFacts& table) {
  return fmt::format("{{\n      \"description\": {},{}", Quoted(table.meaning.en),
                     ObjectOf(table.columns, 4).substr(1));
}

}  // namespace stepscope::tables
