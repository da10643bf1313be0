#pragma once

#include <string>
#include <vector>

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

}  // namespace stepscope
