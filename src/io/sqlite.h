#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <stop_token>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/result.h"
#include "io/byte_source.h"

struct sqlite3;
struct sqlite3_stmt;

namespace stepscope {

// The rows of one table, from front to back. Values are asked for by the position of their column
// in the question; a column that the table does not have, and a value of another type, read as
// null, 0 or empty text.
class SqliteRows {
 public:
  SqliteRows(sqlite3* database, sqlite3_stmt* statement, std::string path);
  SqliteRows(SqliteRows&&) noexcept;
  SqliteRows& operator=(SqliteRows&&) = delete;
  ~SqliteRows();

  bool Next();
  enum class Type : uint8_t { kNull, kInteger, kReal, kText, kBytes };
  Type TypeOf(int column) const;
  bool IsNull(int column) const;
  int64_t Integer(int column, int64_t otherwise = 0) const;
  double Real(int column) const;
  // The bytes as the file has them; they need not be UTF-8. Valid until the next row.
  std::string_view Text(int column) const;
  // Why Next() ended early; rows before the fault were good.
  const std::optional<Error>& fault() const { return fault_; }

 private:
  sqlite3* database_;
  sqlite3_stmt* statement_;
  std::string path_;
  std::optional<Error> fault_;
};

// A SQLite database that may come from anywhere, for reading only: no locks, no journal, no
// write, no extension, no view, no trigger and no virtual table, with limits on the size of
// everything. One thread at a time; Again() opens it for another.
class SqliteFile {
 public:
  struct Table {
    std::string name;
    std::vector<std::string> columns;
    bool Has(std::string_view column) const;
  };
  // First and last rowid, both inclusive.
  struct RowIds {
    int64_t first = 0;
    int64_t last = -1;
  };

  // A plain file is read in place, anything else from memory.
  static Result<SqliteFile> Open(OpenedSource source, std::stop_token stop = {});
  static Result<SqliteFile> Open(const std::string& path, std::stop_token stop = {});
  Result<SqliteFile> Again() const;

  // Tables with rows of their own, by name.
  const std::vector<Table>& tables() const { return *tables_; }
  const Table* Find(std::string_view name) const;
  const std::string& path() const { return path_; }
  // Bytes that the head of the database promises and that are not there; 0 when it is whole.
  uint64_t BytesMissing() const;

  // All rows, or those whose rowid is in the range.
  Result<SqliteRows> Read(const Table& table, std::span<const std::string_view> columns,
                          std::optional<RowIds> range = std::nullopt) const;
  // The row with this many others before it, all columns. Costs a walk over those before it.
  Result<SqliteRows> RowAt(const Table& table, uint64_t before) const;
  // Where the rows of a table are; empty when it has none or has no rowids.
  RowIds RowIdsOf(const Table& table) const;
  bool IsEmpty(const Table& table) const;

 private:
  struct Closing {
    void operator()(sqlite3* database) const;
  };
  SqliteFile() = default;
  std::optional<Error> Connect();
  std::optional<Error> ListTables();
  Result<SqliteRows> Prepare(const std::string& sql) const;

  std::string path_;
  std::shared_ptr<const FileBytes> bytes_;  // null where the file is read in place
  std::unique_ptr<std::stop_token> stop_;   // at a place that does not move
  std::unique_ptr<sqlite3, Closing> database_;
  std::shared_ptr<const std::vector<Table>> tables_;
};

}  // namespace stepscope
