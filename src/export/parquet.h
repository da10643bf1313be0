#pragma once

#include <string>
#include <utility>
#include <vector>

#include "base/result.h"
#include "base/task_pool.h"
#include "export/table_source.h"
#include "io/byte_sink.h"

namespace stepscope::exported {

struct ParquetOptions {
  // Key and value, as readers show them.
  std::vector<std::pair<std::string, std::string>> metadata = {};
  uint32_t rows_per_group = 1U << 20;
  int level = 1;  // of zstd
};

// A Parquet file (parquet-format 2, zstd): integers as differences, texts as dictionaries, least
// and largest value of integers per group. Columns of a group are packed side by side on the pool
// and written in order: the same bytes at any number of threads. A group's packed columns are all
// that is kept in memory. Some 4 million rows of ten columns a second and core.
Result<void> WriteParquet(const TableSource& table, const ParquetOptions& options, TaskPool& pool,
                          ByteSink& sink);

}  // namespace stepscope::exported
