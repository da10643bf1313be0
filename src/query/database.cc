#include "query/database.h"

#include <fmt/format.h>
#include <sqlite3.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <utility>

#include "base/message_saying.h"
#include "query/args_module.h"
#include "query/functions.h"
#include "query/sql_words.h"
#include "query/table_module.h"
#include "query/views.h"
#include "words/query.h"

namespace stepscope::query {
namespace {

constexpr SayFrom<kQueryTexts> Say;

using Clock = std::chrono::steady_clock;

// SQLite's own memory, over all connections of the program.
constexpr sqlite3_int64 kMostMemory = sqlite3_int64{2} << 30;

void SetLimits(sqlite3* database) {
  constexpr std::array<std::pair<int, int>, 6> kLimits = {{
      {SQLITE_LIMIT_LENGTH, 1 << 28},
      {SQLITE_LIMIT_SQL_LENGTH, 1 << 20},
      {SQLITE_LIMIT_EXPR_DEPTH, 200},
      {SQLITE_LIMIT_ATTACHED, 0},
      {SQLITE_LIMIT_TRIGGER_DEPTH, 1},
      {SQLITE_LIMIT_WORKER_THREADS, 0},
  }};
  for (const auto& [limit, value] : kLimits) sqlite3_limit(database, limit, value);
  sqlite3_db_config(database, SQLITE_DBCONFIG_DEFENSIVE, 1, nullptr);
  sqlite3_db_config(database, SQLITE_DBCONFIG_ENABLE_LOAD_EXTENSION, 0, nullptr);
  sqlite3_hard_heap_limit64(kMostMemory);
}

void Bind(sqlite3_stmt* statement, std::span<const std::string> arguments) {
  const auto holes = static_cast<size_t>(sqlite3_bind_parameter_count(statement));
  for (size_t i = 0; i < std::min(holes, arguments.size()); ++i) {
    sqlite3_bind_text64(statement, static_cast<int>(i) + 1, arguments[i].data(),
                        arguments[i].size(), SQLITE_STATIC, SQLITE_UTF8);
  }
}

Message Refused(std::string_view what) {
  if (what == kSomeFunction) return Say("query.refused-function");
  if (what.empty() || what == kSomeStatement) return Say("query.refused-statement");
  return Say("query.refused", what);
}

class StatementOwner {
 public:
  explicit StatementOwner(sqlite3_stmt* statement) : statement_(statement) {}
  StatementOwner(const StatementOwner&) = delete;
  StatementOwner& operator=(const StatementOwner&) = delete;
  ~StatementOwner() { sqlite3_finalize(statement_); }

 private:
  sqlite3_stmt* statement_;
};

std::string HexOf(const unsigned char* bytes, size_t count) {
  std::string text;
  for (size_t i = 0; i < count; ++i) text += fmt::format("{:02X}", bytes[i]);
  return text;
}

Value ValueAt(sqlite3_stmt* statement, int column, std::string& scratch) {
  const auto size = [&] { return static_cast<size_t>(sqlite3_column_bytes(statement, column)); };
  switch (sqlite3_column_type(statement, column)) {
    case SQLITE_INTEGER:
      return {.type = Value::Type::kInteger, .integer = sqlite3_column_int64(statement, column)};
    case SQLITE_FLOAT:
      return {.type = Value::Type::kReal, .real = sqlite3_column_double(statement, column)};
    case SQLITE_TEXT: {
      const auto* text = reinterpret_cast<const char*>(sqlite3_column_text(statement, column));
      return {.type = Value::Type::kText, .text = {text == nullptr ? "" : text, size()}};
    }
    case SQLITE_BLOB: {
      const auto* bytes = static_cast<const unsigned char*>(sqlite3_column_blob(statement, column));
      scratch = bytes == nullptr ? std::string() : HexOf(bytes, size());
      return {.type = Value::Type::kText, .text = scratch};
    }
    default:
      return {};
  }
}

}  // namespace

struct Database::Watch {
  std::stop_token stop;
  Clock::time_point deadline = Clock::time_point::max();
  bool late = false;

  static int Look(void* context) {
    auto& watch = *static_cast<Watch*>(context);
    if (watch.stop.stop_requested()) return 1;
    watch.late = Clock::now() > watch.deadline;
    return watch.late ? 1 : 0;
  }
};

Database::Database(const QueryTables& tables)
    : tables_(tables), watch_(std::make_unique<Watch>()) {}

Database::~Database() { sqlite3_close_v2(database_); }

Result<std::unique_ptr<Database>> Database::Open(const QueryTables& tables) {
  std::unique_ptr<Database> made(new Database(tables));
  if (made->Setup() != SQLITE_OK) {
    return Fail(ErrorCode::kCannotRead, Say("query.no-sqlite", sqlite3_errmsg(made->database_)));
  }
  return made;
}

int Database::Setup() {
  int code = sqlite3_open_v2(
      ":memory:", &database_,
      SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE | SQLITE_OPEN_MEMORY | SQLITE_OPEN_NOMUTEX,
      nullptr);
  if (code != SQLITE_OK) return code;
  SetLimits(database_);
  for (const auto& registers : {RegisterTables, RegisterArgs}) {
    code = registers(database_, tables_);
    if (code != SQLITE_OK) return code;
  }
  code = RegisterFunctions(database_);
  if (code != SQLITE_OK) return code;
  std::string sql = "PRAGMA temp_store = MEMORY;";
  for (const View& view : Views()) {
    sql += fmt::format("CREATE VIEW {} AS {};", QuotedName(view.name), view.select);
  }
  code = sqlite3_exec(database_, sql.c_str(), nullptr, nullptr, nullptr);
  sqlite3_set_authorizer(database_, Authorize, &authorizer_);
  constexpr int kStepsBetweenLooks = 10'000;
  sqlite3_progress_handler(database_, kStepsBetweenLooks, Watch::Look, watch_.get());
  return code;
}

SqlResult<QueryOutcome> Database::Run(std::string_view sql, const QueryLimits& limits,
                                      RowTaker& taker) {
  const Clock::time_point began = Clock::now();
  *watch_ = {limits.stop, limits.time ? began + *limits.time : Clock::time_point::max(), false};
  authorizer_ = {};
  QueryOutcome outcome;
  // SQLite would take it for the end of the text, again and again.
  if (const size_t zero = sql.find('\0'); zero != std::string_view::npos) {
    return std::unexpected(SqlFault{
        .sentence = Say("query.zero-byte"), .offset = zero, .next_step = Say("query.only-text")});
  }
  bool gave_rows = false, any = false;
  for (size_t at = 0; at < sql.size();) {
    const SqlResult<std::optional<size_t>> included = SkipInclude(sql, at);
    if (!included) return std::unexpected(included.error());
    if (*included) {
      at = **included;
      any = true;
      continue;
    }
    sqlite3_stmt* statement = nullptr;
    const char* rest = nullptr;
    authorizer_.refused.clear();
    const int code = sqlite3_prepare_v2(database_, sql.data() + at,
                                        static_cast<int>(sql.size() - at), &statement, &rest);
    const StatementOwner owner(statement);
    if (code != SQLITE_OK) return std::unexpected(Why(sql, at, limits));
    const size_t next = static_cast<size_t>(rest - sql.data());
    if (statement != nullptr) {  // else only comments and spaces
      any = true;
      Bind(statement, limits.arguments);
      if (gave_rows) {
        return std::unexpected(SqlFault{.sentence = Say("query.last-only"),
                                        .offset = at,
                                        .next_step = Say("query.one-by-one")});
      }
      gave_rows = sqlite3_column_count(statement) > 0;
      if (SqlResult<void> done = Step(statement, sql, at, limits, taker, outcome); !done) {
        SqlFault fault = std::move(done.error());
        return std::unexpected(std::move(fault));
      }
    }
    at = next;
  }
  if (!any) {
    return std::unexpected(
        SqlFault{.sentence = Say("query.empty"), .offset = {}, .next_step = Say("query.ask-like")});
  }
  outcome.elapsed = Clock::now() - began;
  if (gave_rows && outcome.rows == 0) outcome.empty_tables = EmptyTablesRead();
  return outcome;
}

SqlResult<void> Database::Step(sqlite3_stmt* statement, std::string_view sql, size_t at,
                               const QueryLimits& limits, RowTaker& taker, QueryOutcome& outcome) {
  const int columns = sqlite3_column_count(statement);
  if (columns > 0) {
    std::vector<std::string> names;
    for (int i = 0; i < columns; ++i) names.emplace_back(sqlite3_column_name(statement, i));
    taker.Columns(names);
  }
  std::vector<Value> row(static_cast<size_t>(columns));
  std::vector<std::string> scratch(row.size());
  while (true) {
    const int code = sqlite3_step(statement);
    if (code == SQLITE_DONE) return {};
    if (code != SQLITE_ROW) return std::unexpected(Why(sql, at, limits));
    if (limits.rows && outcome.rows == *limits.rows) {
      outcome.truncated = true;
      return {};
    }
    for (int i = 0; i < columns; ++i) {
      row[static_cast<size_t>(i)] = ValueAt(statement, i, scratch[static_cast<size_t>(i)]);
    }
    ++outcome.rows;
    if (!taker.Row(row)) return {};
  }
}

// Perfetto's queries name the modules that they need. The one that is built in is skipped.
SqlResult<std::optional<size_t>> Database::SkipInclude(std::string_view sql, size_t at) const {
  const std::vector<std::string> words = FirstWords(sql.substr(at), 4);
  if (words.size() < 3 || words[0] != "INCLUDE" || words[1] != "PERFETTO") return std::nullopt;
  const std::string module = words.size() > 3 ? words[3] : std::string();
  if (words[2] != "MODULE" || module != "SLICES.WITH_CONTEXT") {
    return std::unexpected(SqlFault{.sentence = Say("query.no-module"),
                                    .offset = at + sql.substr(at).find_first_not_of(" \t\r\n"),
                                    .next_step = Say("query.leave-module")});
  }
  const size_t end = sql.find(';', at);
  return end == std::string_view::npos ? sql.size() : end + 1;
}

SqlFault Database::Why(std::string_view sql, size_t at, const QueryLimits& limits) const {
  const int code = sqlite3_errcode(database_);
  if (code == SQLITE_INTERRUPT) {
    if (!watch_->late) return {ErrorCode::kInterrupted, Say("query.interrupted"), {}, {}};
    const auto seconds = std::chrono::duration<double>(*limits.time).count();
    return {ErrorCode::kCannotRead, Say("query.too-long", seconds), {}, Say("query.more-time")};
  }
  if (code == SQLITE_NOMEM) {
    return {ErrorCode::kCannotRead, Say("query.too-large"), {}, Say("query.ask-less")};
  }
  if (code == SQLITE_AUTH || !authorizer_.refused.empty()) {
    const std::string& what = authorizer_.refused;
    const bool makes = what.starts_with("CREATE");
    return {ErrorCode::kUsage, Refused(what),
            std::min(sql.size(), sql.find_first_not_of(" \t\r\n", at)),
            makes ? Say("query.temp-only") : Say("query.write-select")};
  }
  const std::string said = sqlite3_errmsg(database_);
  SqlFault fault{.sentence = MessageSaying(kQueryTexts, said), .offset = {}};
  const int offset = sqlite3_error_offset(database_);
  if (offset >= 0) fault.offset = at + static_cast<size_t>(offset);
  fault.next_step =
      NextStepFor(said, sql.substr(at),
                  {TableNames(), [this](std::string_view table) { return ColumnNames(table); }});
  return fault;
}

std::vector<std::string> Database::EmptyTablesRead() const {
  std::vector<std::string> empty;
  for (const std::string& name : authorizer_.read) {
    const SqlTable* const table = tables_.Find(name);
    if (table != nullptr && table->size() == 0) empty.push_back(name);
  }
  return empty;
}

std::vector<std::string> Database::TableNames() const {
  std::vector<std::string> names;
  for (const std::unique_ptr<SqlTable>& table : tables_.tables()) names.push_back(table->name());
  names.emplace_back("args");
  for (const View& view : Views()) names.emplace_back(view.name);
  return names;
}

std::vector<std::string> Database::ColumnNames(std::string_view table) const {
  std::vector<std::string> names;
  if (const SqlTable* const found = tables_.Find(table)) {
    for (const SqlColumn& column : found->columns()) names.emplace_back(column.name);
    return names;
  }
  if (table == "args") return {ArgsColumns().begin(), ArgsColumns().end()};
  for (const View& view : Views()) {
    if (view.name != table) continue;
    sqlite3_stmt* statement = nullptr;
    sqlite3_prepare_v2(database_, view.select.data(), static_cast<int>(view.select.size()),
                       &statement, nullptr);
    const StatementOwner owner(statement);
    for (int i = 0; i < sqlite3_column_count(statement); ++i) {
      names.emplace_back(sqlite3_column_name(statement, i));
    }
  }
  return names;
}

std::vector<std::string> Database::AllColumnNames() const {
  std::vector<std::string> names;
  for (const std::unique_ptr<SqlTable>& table : tables_.tables()) {
    for (const SqlColumn& column : table->columns()) names.emplace_back(column.name);
  }
  names.insert(names.end(), ArgsColumns().begin(), ArgsColumns().end());
  std::ranges::sort(names);
  names.erase(std::ranges::unique(names).begin(), names.end());
  return names;
}

}  // namespace stepscope::query
