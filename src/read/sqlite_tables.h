#pragma once

#include <atomic>
#include <initializer_list>
#include <mutex>
#include <optional>
#include <span>
#include <string_view>
#include <utility>
#include <vector>

#include "base/result.h"
#include "base/task_pool.h"
#include "io/sqlite.h"
#include "read/open_options.h"

namespace stepscope {

// Visits the rows of a table; where the database lacks it there are none. Returns why the rows
// ended early.
template <typename Visit>
std::optional<Error> ForEachRow(const SqliteFile& file, std::string_view name,
                                std::initializer_list<std::string_view> columns, Visit visit) {
  const SqliteFile::Table* table = file.Find(name);
  if (table == nullptr) return std::nullopt;
  Result<SqliteRows> rows = file.Read(*table, std::span(columns.begin(), columns.size()));
  if (!rows) return std::move(rows.error());
  while (rows->Next()) visit(*rows);
  return rows->fault();
}

// Connections to one file, as many as threads read at a time. Any thread may take one.
class SqliteConnections {
 public:
  explicit SqliteConnections(const SqliteFile& file) : file_(file) {}

  Result<SqliteFile> Take() {
    {
      const std::lock_guard lock(mutex_);
      if (!free_.empty()) {
        SqliteFile last = std::move(free_.back());
        free_.pop_back();
        return last;
      }
    }
    return file_.Again();
  }
  void Return(SqliteFile file) {
    const std::lock_guard lock(mutex_);
    free_.push_back(std::move(file));
  }

 private:
  const SqliteFile& file_;
  std::mutex mutex_;
  std::vector<SqliteFile> free_;
};

// Calls read(connection, i) for every block, as many at a time as the pool has threads. A block
// that gets no connection keeps the reason in `fault`. After a stop the rest is left out.
template <typename Block, typename Read>
void ReadBlocks(const SqliteFile& file, const OpenOptions& options, TaskPool& pool,
                std::vector<Block>& blocks, Read read) {
  SqliteConnections connections(file);
  std::atomic<size_t> done = 0;
  pool.ForEach(blocks.size(), [&](size_t i) {
    if (options.stop.stop_requested()) return;
    Result<SqliteFile> connection = connections.Take();
    if (!connection) {
      blocks[i].fault = std::move(connection.error());
      return;
    }
    read(*connection, i);
    connections.Return(std::move(*connection));
    if (options.progress) {
      options.progress(static_cast<double>(++done) / static_cast<double>(blocks.size()), "reading");
    }
  });
}

}  // namespace stepscope
