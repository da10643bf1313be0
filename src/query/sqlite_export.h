#pragma once

#include <string>

#include "base/result.h"
#include "export/table_source.h"

struct sqlite3;

namespace stepscope::query {

// Writes tables into a SQLite file: under another name at first, renamed by Close. What is not
// closed is removed.
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

  const std::string path_, unfinished_;
  sqlite3* database_ = nullptr;
};

}  // namespace stepscope::query
