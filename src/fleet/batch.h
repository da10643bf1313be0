#pragma once

#include <span>
#include <string>
#include <vector>

#include "base/result.h"
#include "base/task_pool.h"
#include "fleet/analyze_options.h"
#include "fleet/file_job.h"
#include "fleet/listed_path.h"
#include "fleet/row_block.h"

namespace stepscope::fleet {

// One file of a table, under its name when it is complete.
Result<void> WriteTableFile(const BatchTable& table, Format format, TaskPool& pool,
                            const std::string& path);

// Some paths whose rows go into the same files.
class Batch {
 public:
  // Paths first .. first + count of the list.
  Batch(std::span<const ListedPath> all, size_t first, size_t count, const AnalyzeOptions& options);

  const std::string& name() const { return name_; }
  void Add(FileResult result);
  bool complete() const { return missing_ == 0; }
  // The tables, then the manifest; lets the rows go.
  Result<void> Write(const AnalyzeOptions& options, TaskPool& pool);

 private:
  std::span<const ListedPath> paths_;
  size_t first_, missing_;
  std::string name_;  // hash of what is read and how
  std::vector<FileResult> results_;
};

}  // namespace stepscope::fleet
