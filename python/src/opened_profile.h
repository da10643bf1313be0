#pragma once

#include <memory>
#include <mutex>
#include <utility>
#include <vector>

#include "memory_file.h"
#include "query/query_tables.h"
#include "study/study.h"

namespace stepscope::python {

// What Python opened. Tables borrow from it through shared pointers.
class OpenedProfile {
 public:
  // `memory` is what was given as bytes: the study reads it again where it has to.
  OpenedProfile(std::unique_ptr<Study> study, std::vector<MemoryFile> memory)
      : memory_(std::move(memory)), study_(std::move(study)) {}

  Study& study() { return *study_; }
  const Profile& profile() const { return study_->profile(); }
  // What SQL sees of it; made when first asked for.
  const query::QueryTables& tables() {
    std::call_once(tables_made_,
                   [this] { tables_ = std::make_unique<const query::QueryTables>(*study_); });
    return *tables_;
  }
  // Rows of the trace's slices that were made from these events of the file, by row. One pass.
  std::vector<uint32_t> SlicesOf(size_t trace, const std::vector<uint32_t>& events) const;

 private:
  const std::vector<MemoryFile> memory_;
  const std::unique_ptr<Study> study_;
  std::once_flag tables_made_;
  std::unique_ptr<const query::QueryTables> tables_;
};

}  // namespace stepscope::python
