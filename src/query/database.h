#pragma once

#include <chrono>
#include <cstdint>
#include <expected>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <stop_token>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "query/authorizer.h"
#include "query/query_tables.h"

struct sqlite3;
struct sqlite3_stmt;

namespace stepscope::query {

// What is wrong with a query, and where in its text.
struct SqlFault {
  ErrorCode code = ErrorCode::kUsage;
  Sentences sentence;
  std::optional<size_t> offset;  // bytes into the SQL
  Sentences next_step = {};
};
template <typename T>
using SqlResult = std::expected<T, SqlFault>;

struct Value {
  enum class Type : uint8_t { kNull, kInteger, kReal, kText };
  Type type = Type::kNull;
  int64_t integer = 0;
  double real = 0;
  std::string_view text = {};  // of a blob: its hexadecimal digits
};

// Takes rows as they come. Texts are valid during the call.
class RowTaker {
 public:
  virtual ~RowTaker() = default;
  virtual void Columns(const std::vector<std::string>& names) = 0;
  // False: no more rows are wanted.
  virtual bool Row(std::span<const Value> row) = 0;
};

struct QueryLimits {
  std::optional<uint64_t> rows;                             // taken at most
  std::optional<std::chrono::steady_clock::duration> time;  // then it fails
  std::stop_token stop = {};                                // then it fails with kInterrupted
  std::vector<std::string> arguments = {};                  // for ?1, ?2 … of the text
};

struct QueryOutcome {
  uint64_t rows = 0;
  bool truncated = false;                 // there were more
  std::chrono::nanoseconds elapsed{};     // from the text to the last row
  std::vector<std::string> empty_tables;  // read tables that have no rows in this profile
};

// A connection: SQL over the tables, with the functions and views of docs/query.md. It reads only:
// no statement can write, attach, load or change settings, but for temporary tables and views. One
// thread at a time; several connections may share the tables.
class Database {
 public:
  static Result<std::unique_ptr<Database>> Open(const QueryTables& tables);
  ~Database();
  Database(const Database&) = delete;
  Database& operator=(const Database&) = delete;

  // Runs statements one after another. Only the last may return rows.
  SqlResult<QueryOutcome> Run(std::string_view sql, const QueryLimits& limits, RowTaker& taker);
  // Names of tables, views and columns that a query may use, for completion and near misses.
  std::vector<std::string> TableNames() const;
  std::vector<std::string> ColumnNames(std::string_view table) const;
  std::vector<std::string> AllColumnNames() const;
  const QueryTables& tables() const { return tables_; }

 private:
  explicit Database(const QueryTables& tables);
  int Setup();
  SqlResult<std::optional<size_t>> SkipInclude(std::string_view sql, size_t at) const;
  SqlResult<void> Step(sqlite3_stmt* statement, std::string_view sql, size_t at,
                       const QueryLimits& limits, RowTaker& taker, QueryOutcome& outcome);
  SqlFault Why(std::string_view sql, size_t at, const QueryLimits& limits) const;
  std::vector<std::string> EmptyTablesRead() const;

  const QueryTables& tables_;
  sqlite3* database_ = nullptr;
  Authorizer authorizer_;
  struct Watch;  // what the progress handler looks at
  std::unique_ptr<Watch> watch_;
};

}  // namespace stepscope::query
