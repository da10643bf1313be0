#pragma once

#include <string>
#include <vector>

#include "base/result.h"
#include "base/task_pool.h"
#include "read/file_type.h"
#include "read/open_options.h"
#include "trace/trace.h"

namespace stepscope {

// Opens files, directories and "-", groups what belongs together, reads each trace. An Error only
// when nothing at all could be read.
Result<Profile> OpenProfile(const std::vector<std::string>& paths, const OpenOptions& options,
                            TaskPool& pool);

// The files that paths stand for, each of which can be opened by itself: directories are listed, of
// a log directory one run is chosen, and files of other types are left out. Recordings stay
// directories.
struct FoundFile {
  std::string path;
  FileType type = FileType::kUnknown;
  bool named = true;  // by the user; else found in a directory
};
Result<std::vector<FoundFile>> FindFiles(const std::vector<std::string>& paths,
                                         const std::string& run);

}  // namespace stepscope
