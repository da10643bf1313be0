#include "query/authorizer.h"

#include <sqlite3.h>

#include <algorithm>
#include <array>
#include <string_view>

namespace stepscope::query {
namespace {

std::string_view WordFor(int action) {
  switch (action) {
    case SQLITE_ATTACH:
      return "ATTACH";
    case SQLITE_DETACH:
      return "DETACH";
    case SQLITE_PRAGMA:
      return "PRAGMA";
    case SQLITE_INSERT:
      return "INSERT";
    case SQLITE_UPDATE:
      return "UPDATE";
    case SQLITE_DELETE:
      return "DELETE";
    case SQLITE_CREATE_TABLE:
    case SQLITE_CREATE_VTABLE:
      return "CREATE TABLE";
    case SQLITE_CREATE_VIEW:
      return "CREATE VIEW";
    case SQLITE_CREATE_INDEX:
    case SQLITE_CREATE_TEMP_INDEX:
      return "CREATE INDEX";
    case SQLITE_CREATE_TRIGGER:
    case SQLITE_CREATE_TEMP_TRIGGER:
      return "CREATE TRIGGER";
    case SQLITE_DROP_TABLE:
    case SQLITE_DROP_VIEW:
    case SQLITE_DROP_VTABLE:
      return "DROP";
    case SQLITE_ALTER_TABLE:
      return "ALTER";
    case SQLITE_TRANSACTION:
    case SQLITE_SAVEPOINT:
      return "BEGIN";
    case SQLITE_FUNCTION:
      return kSomeFunction;
    default:
      return kSomeStatement;
  }
}

// Temporary tables, and the schema itself: SQLite keeps that from statements and asks about it
// before it asks about CREATE and DROP.
bool MayChange(const char* table, const char* database) {
  const bool temporary = database != nullptr && std::string_view(database) == "temp";
  const std::string_view name = table == nullptr ? "" : table;
  return temporary || name == "sqlite_master" || name == "sqlite_temp_master";
}

bool MayPragma(const char* name) {
  constexpr std::array<std::string_view, 4> kHarmless{"table_info", "table_xinfo", "table_list",
                                                      "function_list"};
  return name != nullptr && std::ranges::find(kHarmless, name) != kHarmless.end();
}

bool MayCall(const char* name) {
  constexpr std::array<std::string_view, 2> kRefused{"load_extension", "fts3_tokenizer"};
  return name == nullptr || std::ranges::find(kRefused, name) == kRefused.end();
}

bool May(int action, const char* first, const char* second, const char* database) {
  switch (action) {
    case SQLITE_SELECT:
    case SQLITE_READ:
    case SQLITE_RECURSIVE:
    case SQLITE_CREATE_TEMP_TABLE:
    case SQLITE_CREATE_TEMP_VIEW:
    case SQLITE_DROP_TEMP_TABLE:
    case SQLITE_DROP_TEMP_VIEW:
      return true;
    case SQLITE_INSERT:
    case SQLITE_UPDATE:
    case SQLITE_DELETE:
      return MayChange(first, database);
    case SQLITE_FUNCTION:
      return MayCall(second);
    case SQLITE_PRAGMA:
      return MayPragma(first);
    default:
      return false;
  }
}

}  // namespace

int Authorize(void* context, int action, const char* first, const char* second,
              const char* database, const char*) {
  auto& authorizer = *static_cast<Authorizer*>(context);
  if (!May(action, first, second, database)) {
    // A statement is made of several actions; the first says what it is.
    if (authorizer.refused.empty()) authorizer.refused = WordFor(action);
    return SQLITE_DENY;
  }
  if (action == SQLITE_READ && first != nullptr) authorizer.read.insert(first);
  return SQLITE_OK;
}

}  // namespace stepscope::query
