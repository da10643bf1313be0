#pragma once

#include <string>
#include <vector>

#include "read/open.h"

namespace stepscope {

// The files of one profile.
struct ProfileFiles {
  std::vector<std::string> paths;
  bool named = true;  // given by the user, not found in a directory
};

// One profile per file; a RunMetadata together with the graph given beside it; in a directory every
// file that is a profile, and, where it holds several, the directory as a whole first (the ranks of
// a job, the newest run of a log directory). Looks at the first bytes of each file once.
std::vector<ProfileFiles> ProfilesOf(const std::vector<std::string>& paths);

// The type of a file by its first bytes; read again only when its size has changed. Safe
// to call from many threads.
FileType FileTypeAt(const std::string& path);

// The file that holds the graph of a trace's model, among the files of a profile or below its
// directory: that of a RunMetadata file by the rule of GroupFiles, else the first; empty when there
// is none.
std::string GraphAmong(const std::vector<std::string>& paths, const std::string& trace);

}  // namespace stepscope
