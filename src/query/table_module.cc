#include "query/table_module.h"

#include <fmt/format.h>

#include <memory>
#include <vector>

#include "query/cursor.h"
#include "query/plan.h"

namespace stepscope::query {
namespace {

struct Connected : sqlite3_vtab {
  const SqlTable* table = nullptr;
  std::vector<Plan> plans;  // idxNum is a place here: statements that are prepared refer to it
};
struct OpenCursor : sqlite3_vtab_cursor {
  explicit OpenCursor(const SqlTable& table) : sqlite3_vtab_cursor{}, cursor(table) {}
  Cursor cursor;
};

Connected& Of(sqlite3_vtab* table) { return *static_cast<Connected*>(table); }
Cursor& Of(sqlite3_vtab_cursor* cursor) { return static_cast<OpenCursor*>(cursor)->cursor; }

std::string_view SqlTypeOf(tables::CellType type) {
  switch (type) {
    case tables::CellType::kReal:
      return "REAL";
    case tables::CellType::kText:
    case tables::CellType::kName:
      return "TEXT";
    default:
      return "INTEGER";
  }
}

std::string Declaration(const SqlTable& table) {
  std::string sql = "CREATE TABLE x(";
  for (const SqlColumn& column : table.columns()) {
    if (!sql.ends_with('(')) sql += ", ";
    sql += fmt::format("{} {}{}", QuotedName(column.name), SqlTypeOf(column.type),
                       column.hidden ? " HIDDEN" : "");
  }
  return sql + ")";
}

int Connect(sqlite3* database, void* context, int, const char* const*, sqlite3_vtab** made,
            char**) {
  auto connected = std::make_unique<Connected>();
  connected->table = static_cast<const SqlTable*>(context);
  const int code = sqlite3_declare_vtab(database, Declaration(*connected->table).c_str());
  if (code == SQLITE_OK) *made = connected.release();
  return code;
}

int Disconnect(sqlite3_vtab* table) {
  delete &Of(table);
  return SQLITE_OK;
}

int BestIndex(sqlite3_vtab* table, sqlite3_index_info* info) {
  Connected& connected = Of(table);
  Plan plan = ChoosePlan(*connected.table, *info);
  const std::string words = plan.InWords(*connected.table);
  const auto known = std::ranges::find(connected.plans, plan);
  info->idxNum = static_cast<int>(known - connected.plans.begin());
  if (known == connected.plans.end()) connected.plans.push_back(std::move(plan));
  info->idxStr = sqlite3_mprintf("%s", words.c_str());
  info->needToFreeIdxStr = 1;
  return info->idxStr == nullptr ? SQLITE_NOMEM : SQLITE_OK;
}

int Open(sqlite3_vtab* table, sqlite3_vtab_cursor** made) {
  *made = new OpenCursor(*Of(table).table);
  return SQLITE_OK;
}

int Close(sqlite3_vtab_cursor* cursor) {
  delete static_cast<OpenCursor*>(cursor);
  return SQLITE_OK;
}

int Filter(sqlite3_vtab_cursor* cursor, int plan, const char*, int count, sqlite3_value** values) {
  Of(cursor).Start(Of(cursor->pVtab).plans[static_cast<size_t>(plan)],
                   {values, static_cast<size_t>(count)});
  return SQLITE_OK;
}

int Next(sqlite3_vtab_cursor* cursor) {
  Of(cursor).Next();
  return SQLITE_OK;
}

int AtEnd(sqlite3_vtab_cursor* cursor) { return Of(cursor).AtEnd() ? 1 : 0; }

int GiveColumn(sqlite3_vtab_cursor* cursor, sqlite3_context* context, int column) {
  Of(cursor).Give(context, static_cast<size_t>(column));
  return SQLITE_OK;
}

int GiveRow(sqlite3_vtab_cursor* cursor, sqlite3_int64* row) {
  *row = Of(cursor).row();
  return SQLITE_OK;
}

// Without xCreate a table is there from the start; without xUpdate nobody can write to it.
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

}  // namespace

std::string QuotedName(std::string_view name) {
  std::string quoted = "\"";
  for (const char c : name) quoted.append(c == '"' ? 2 : 1, c);
  return quoted + '"';
}

void SetMessage(sqlite3_vtab* table, std::string_view sentence) {
  sqlite3_free(table->zErrMsg);
  table->zErrMsg = sqlite3_mprintf("%.*s", static_cast<int>(sentence.size()), sentence.data());
}

int RegisterTables(sqlite3* database, const QueryTables& tables) {
  for (const std::unique_ptr<SqlTable>& table : tables.tables()) {
    const int code = sqlite3_create_module_v2(database, table->name().c_str(), &kModule,
                                              const_cast<SqlTable*>(table.get()), nullptr);
    if (code != SQLITE_OK) return code;
  }
  return SQLITE_OK;
}

}  // namespace stepscope::query
