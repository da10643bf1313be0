#pragma once

#include <optional>
#include <string>

#include "base/result.h"
#include "export/table_source.h"
#include "io/atomic_file.h"

struct sqlite3;

namespace stepscope::query {

// Writes tables into a SQLite file, which appears under its name with Close. What is not closed is
// removed.
class SqliteExport {
 public:
  explicit SqliteExport(std::string path);
  ~SqliteExport();
  SqliteExport(const SqliteExport&) = delete;
  SqliteExport& operator=(const SqliteExport&) = delete;

  Result<void> Add(const std::string& name, const exported::TableSource& table);
  Result<void> Close();

 private:
  Result<void> Open();
  Result<void> Execute(const std::string& sql);
  std::unexpected<Error> Why() const;

  const std::string path_;
  std::optional<AtomicFile> file_;
  sqlite3* database_ = nullptr;
};

}  // namespace stepscope::query
