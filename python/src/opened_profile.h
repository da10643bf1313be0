#pragma once

#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "advise/finding.h"
#include "advise/settings.h"
#include "analyze/report.h"
#include "base/result.h"
#include "memory_file.h"
#include "present/report_json.h"
#include "read/open.h"

namespace stepscope::python {

// A profile that was read, and what was worked out from it: each part once, when it is first asked
// for. Safe to use from many threads at once. Tables borrow from it through shared pointers.
class OpenedProfile {
 public:
  // `memory` is what was given as bytes; `read_paths` are where all of it can be read again.
  OpenedProfile(Profile profile, Settings settings, unsigned threads,
                std::vector<std::string> read_paths, std::vector<MemoryFile> memory)
      : profile_(std::move(profile)),
        settings_(std::move(settings)),
        threads_(threads),
        read_paths_(std::move(read_paths)),
        memory_(std::move(memory)) {}

  const Profile& profile() const { return profile_; }
  const std::vector<std::string>& read_paths() const { return read_paths_; }
  // Where the file of a trace can be read again: bytes that were given have a path, too.
  const std::string& ReadPathOf(const Trace& trace) const;
  unsigned threads() const { return threads_; }
  // One report per trace. The first call analyses.
  const std::vector<Report>& reports();
  const std::vector<Advice>& advice();
  // Both, as what is shown of every trace.
  std::vector<Reported> Everything();
  // Rows of the trace's slices that were made from these events of the file, by row. One pass.
  std::vector<uint32_t> SlicesOf(size_t trace, const std::vector<uint32_t>& events) const;

 private:
  const Profile profile_;
  const Settings settings_;  // of the rules
  const unsigned threads_;
  const std::vector<std::string> read_paths_;
  const std::vector<MemoryFile> memory_;
  std::once_flag analysed_, advised_;
  std::vector<Report> reports_;
  std::vector<Advice> advice_;
};

}  // namespace stepscope::python
