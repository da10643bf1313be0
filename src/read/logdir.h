#pragma once

#include <string>
#include <vector>

#include "base/result.h"
#include "read/file_type.h"

// Decides which files of a directory are worth opening, by the layout that TensorBoard, JAX and
// XProf write.
namespace stepscope {

// Takes the files below `directory` (sorted) and leaves out
//   - runs of `plugins/profile/RUN/` but the newest of each logdir, or but `run` when it is given
//     (an Error with the runs there are when none is called so);
//   - traces beside the XPlane they were made from: HOST.trace.json.gz, perfetto_trace.json.gz;
//   - XProf's caches.
Result<std::vector<std::string>> SelectFromLogdir(const std::string& directory,
                                                  std::vector<std::string> files,
                                                  const std::string& run);

// Files that make one trace together.
struct FileGroup {
  std::vector<std::string> files;  // several only for the runs of one program
  std::string graph;               // that explains them, or empty
  FileType type = FileType::kUnknown;
  bool named = true;  // by the user; else found in a directory
};
struct TypedFile {
  std::string path;
  FileType type = FileType::kUnknown;
  bool named = true;
};
// RunMetadata files whose names differ only in digits are runs of one program, in the order of
// their numbers; a graph goes to those whose name begins like its own, or to all of its folder when
// it is the only one there. If a folder has none, its runs get the only graph (of a SavedModel,
// say) below it, above it or given with the runs. Other files stay alone. Order: that of the first
// file of each group. Graphs that explain something are in no group of their own.
std::vector<FileGroup> GroupFiles(const std::vector<TypedFile>& files);

}  // namespace stepscope
