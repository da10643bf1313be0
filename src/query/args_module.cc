#include "query/args_module.h"

#include <fmt/format.h>

#include <array>
#include <charconv>
#include <memory>
#include <vector>

#include "base/json_document.h"
#include "base/message.h"
#include "query/table_module.h"
#include "words/query.h"

namespace stepscope::query {
namespace {

constexpr std::array<std::string_view, 7> kColumns{
    "arg_set_id", "key", "flat_key", "int_value", "string_value", "real_value", "display_value"};
enum ColumnPlace { kSet, kKey, kFlatKey, kInt, kString, kReal, kDisplay };

struct Argument {
  std::string key, flat_key;  // args.Input Dims[0], args.Input Dims
  std::string text;
  enum class Type : uint8_t { kText, kInt, kReal } type = Type::kText;
  int64_t integer = 0;
  double real = 0;
};

// As Perfetto's engine spells names of annotations, so that its queries find them.
std::string AsInPerfetto(std::string name) {
  for (char& c : name) {
    if (c == '.' || c == '[' || c == ']') c = '_';
  }
  return name;
}

void Flatten(const JsonValue& value, const std::string& key, const std::string& flat, bool perfetto,
             std::vector<Argument>& out) {
  switch (value.kind()) {
    case JsonValue::Kind::kObject:
      for (const auto& [name, member] : value.members()) {
        const std::string shown = perfetto ? AsInPerfetto(name) : name;
        Flatten(member, key + '.' + shown, flat + '.' + shown, perfetto, out);
      }
      return;
    case JsonValue::Kind::kArray:
      for (size_t i = 0; i < value.items().size(); ++i) {
        Flatten(value[i], fmt::format("{}[{}]", key, i), flat, perfetto, out);
      }
      return;
    case JsonValue::Kind::kNull:
      return;
    default:
      break;
  }
  Argument argument{key, flat, value.text()};
  if (value.kind() == JsonValue::Kind::kBool) {
    argument.type = Argument::Type::kInt;
    argument.integer = value.AsBool() ? 1 : 0;
    argument.text = value.AsBool() ? "true" : "false";
  } else if (value.kind() == JsonValue::Kind::kNumber) {
    const char* const end = argument.text.data() + argument.text.size();
    const auto [at, error] = std::from_chars(argument.text.data(), end, argument.integer);
    const bool whole = error == std::errc() && at == end;
    argument.type = whole ? Argument::Type::kInt : Argument::Type::kReal;
    argument.real = value.AsDouble();
  }
  out.push_back(std::move(argument));
}

// A slice that is not there has no arguments.
Result<std::vector<Argument>> ArgumentsOf(const QueryTables& tables, int64_t slice) {
  size_t trace = 0;
  uint32_t row = 0;
  std::vector<Argument> arguments;
  if (!tables.PlaceOfSlice(slice, trace, row)) return arguments;
  const TraceAccess& access = tables.trace(trace);
  const Result<std::string> text = access.event(access.trace->slices.event[row]);
  if (!text) return std::unexpected(text.error());
  const Result<JsonValue> event = ParseJson(*text);
  if (!event) return std::unexpected(event.error());
  // Perfetto's own traces name their arguments as its engine does: debug.NAME.
  if (access.trace->facts.format == Format::kPerfetto) {
    for (const auto& [name, value] : (*event)["args"].members()) {
      Flatten(value, name, name, true, arguments);
    }
  } else {
    Flatten((*event)["args"], "args", "args", false, arguments);
  }
  const JsonValue& execution = (*event)["execution_trace"];
  if (!execution.is_null()) {
    Flatten(execution, "execution_trace", "execution_trace", false, arguments);
  }
  return arguments;
}

struct Connected : sqlite3_vtab {
  const QueryTables* tables = nullptr;
};
struct OpenCursor : sqlite3_vtab_cursor {
  int64_t slice = 0;
  size_t at = 0;
  std::vector<Argument> arguments;
};

OpenCursor& Of(sqlite3_vtab_cursor* cursor) { return *static_cast<OpenCursor*>(cursor); }

int Connect(sqlite3* database, void* context, int, const char* const*, sqlite3_vtab** made,
            char**) {
  auto connected = std::make_unique<Connected>();
  connected->tables = static_cast<const QueryTables*>(context);
  const int code = sqlite3_declare_vtab(
      database,
      "CREATE TABLE x(arg_set_id INTEGER, key TEXT, flat_key TEXT, int_value INTEGER, "
      "string_value TEXT, real_value REAL, display_value TEXT)");
  if (code == SQLITE_OK) *made = connected.release();
  return code;
}

int Disconnect(sqlite3_vtab* table) {
  delete static_cast<Connected*>(table);
  return SQLITE_OK;
}

int BestIndex(sqlite3_vtab* table, sqlite3_index_info* info) {
  bool named = false;
  for (int i = 0; i < info->nConstraint; ++i) {
    const auto& constraint = info->aConstraint[i];
    if (constraint.iColumn != kSet || constraint.op != SQLITE_INDEX_CONSTRAINT_EQ) continue;
    named = true;
    if (constraint.usable == 0) continue;
    info->aConstraintUsage[i].argvIndex = 1;
    info->estimatedCost = 1000;  // a piece of the file is read
    info->estimatedRows = 10;
    return SQLITE_OK;
  }
  if (named) return SQLITE_CONSTRAINT;  // in another order of the tables it can be used
  SetMessage(table, InEnglish(SayFrom<kQueryTexts>()("query.which-args")));
  return SQLITE_ERROR;
}

int Open(sqlite3_vtab*, sqlite3_vtab_cursor** made) {
  *made = new OpenCursor;
  return SQLITE_OK;
}
int Close(sqlite3_vtab_cursor* cursor) {
  delete &Of(cursor);
  return SQLITE_OK;
}

int Filter(sqlite3_vtab_cursor* cursor, int, const char*, int, sqlite3_value** values) {
  OpenCursor& open = Of(cursor);
  open.at = 0;
  open.arguments.clear();
  if (sqlite3_value_numeric_type(values[0]) != SQLITE_INTEGER) return SQLITE_OK;
  open.slice = sqlite3_value_int64(values[0]);
  Result<std::vector<Argument>> found =
      ArgumentsOf(*static_cast<Connected*>(cursor->pVtab)->tables, open.slice);
  if (!found) {
    SetMessage(cursor->pVtab, InEnglish(found.error().sentence));
    return SQLITE_ERROR;
  }
  open.arguments = std::move(*found);
  return SQLITE_OK;
}

int Next(sqlite3_vtab_cursor* cursor) {
  ++Of(cursor).at;
  return SQLITE_OK;
}
int AtEnd(sqlite3_vtab_cursor* cursor) {
  return Of(cursor).at >= Of(cursor).arguments.size() ? 1 : 0;
}

void GiveText(sqlite3_context* context, const std::string& text) {
  sqlite3_result_text64(context, text.data(), text.size(), SQLITE_TRANSIENT, SQLITE_UTF8);
}

void GiveValue(sqlite3_context* context, const Argument& argument) {
  switch (argument.type) {
    case Argument::Type::kText:
      return GiveText(context, argument.text);
    case Argument::Type::kInt:
      return sqlite3_result_int64(context, argument.integer);
    case Argument::Type::kReal:
      return sqlite3_result_double(context, argument.real);
  }
}

int GiveColumn(sqlite3_vtab_cursor* cursor, sqlite3_context* context, int column) {
  using Type = Argument::Type;
  const OpenCursor& open = Of(cursor);
  const Argument& argument = open.arguments[open.at];
  const bool fits = column == kInt      ? argument.type == Type::kInt
                    : column == kReal   ? argument.type == Type::kReal
                    : column == kString ? argument.type == Type::kText
                                        : false;
  if (column == kSet) {
    sqlite3_result_int64(context, open.slice);
  } else if (column == kKey) {
    GiveText(context, argument.key);
  } else if (column == kFlatKey) {
    GiveText(context, argument.flat_key);
  } else if (column == kDisplay) {
    GiveText(context, argument.text);
  } else if (fits) {
    GiveValue(context, argument);
  }
  return SQLITE_OK;
}

int GiveRow(sqlite3_vtab_cursor* cursor, sqlite3_int64* row) {
  *row = static_cast<sqlite3_int64>(Of(cursor).at);
  return SQLITE_OK;
}

constexpr sqlite3_module kModule = {
    .iVersion = 1,
    .xConnect = Connect,
    .xBestIndex = BestIndex,
    .xDisconnect = Disconnect,
    .xOpen = Open,
    .xClose = Close,
    .xFilter = Filter,
    .xNext = Next,
    .xEof = AtEnd,
    .xColumn = GiveColumn,
    .xRowid = GiveRow,
};

// The key as `args` has it, with or without "args." before it.
void ExtractArg(sqlite3_context* context, int, sqlite3_value** values) {
  const auto& tables = *static_cast<const QueryTables*>(sqlite3_user_data(context));
  const auto* const wanted = reinterpret_cast<const char*>(sqlite3_value_text(values[1]));
  if (sqlite3_value_type(values[0]) != SQLITE_INTEGER || wanted == nullptr) return;
  const Result<std::vector<Argument>> found = ArgumentsOf(tables, sqlite3_value_int64(values[0]));
  if (!found) {
    return sqlite3_result_error(context, InEnglish(found.error().sentence).c_str(), -1);
  }
  const std::string_view key = wanted;
  for (const Argument& argument : *found) {
    const std::string_view own = argument.key;
    if (own == key || own.substr(own.find('.') + 1) == key) return GiveValue(context, argument);
  }
}

}  // namespace

std::span<const std::string_view> ArgsColumns() { return kColumns; }

int RegisterArgs(sqlite3* database, const QueryTables& tables) {
  auto* const context = const_cast<QueryTables*>(&tables);
  const int code = sqlite3_create_module_v2(database, "args", &kModule, context, nullptr);
  if (code != SQLITE_OK) return code;
  return sqlite3_create_function_v2(database, "extract_arg", 2, SQLITE_UTF8, context, ExtractArg,
                                    nullptr, nullptr, nullptr);
}

}  // namespace stepscope::query
