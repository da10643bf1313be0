#pragma once

#include <string>
#include <vector>

#include "base/result.h"

namespace stepscope {

// Event files that belong to one run: those of one directory, in the order of their names (which
// begin with the time of their writer).
struct EventRun {
  std::string name;  // path below the directory that was asked for; "." for itself
  std::vector<std::string> files;
  uint64_t bytes = 0;
};

// All runs at or below the paths, by name. A file is a run of its own directory. Names carry the
// path when several were given. An Error when there is no event file anywhere.
Result<std::vector<EventRun>> FindEventRuns(const std::vector<std::string>& paths);

// As TensorBoard decides: any file with "tfevents" in its name, unless it only marks a profile.
bool IsEventFileName(std::string_view name);

}  // namespace stepscope
