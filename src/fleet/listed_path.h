#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"

namespace stepscope::fleet {

// What a path or the list says about a profile beside what the file says.
struct PathFacts {
  std::optional<std::string> job, run, host;
  std::optional<int64_t> attempt, rank, world_size;
};

// One line of a list of profiles.
struct ListedPath {
  std::string path;   // its name in the tables
  std::string local;  // where it can be read: the same, or a copy of an object of a store
  // As the listing says, else as the file system does; none where there is no such file.
  std::optional<int64_t> bytes, mtime_unix_ns;
  PathFacts facts;
  double weight = 1;
  std::shared_ptr<const std::string> name_key;  // hosts that files name are hashed with it
};

// Replaces path and host by hashes with the key; what the path says about the rank and which ranks
// belong together is taken from it first.
void HashNames(const std::shared_ptr<const std::string>& key, ListedPath& listed);

// A list: one path a line, or one JSON object a line with `path` and, if wanted, `local`, `bytes`,
// `mtime_unix_ns`, `job_id`, `run_id`, `attempt`, `rank`, `world_size`, `host`, `weight`. Empty
// lines are skipped; a path that comes again is taken once. "-" is standard input.
Result<std::vector<ListedPath>> ReadPathList(const std::string& list);
// The same of text; `name` is for errors.
Result<std::vector<ListedPath>> ParsePathList(std::string_view text, const std::string& name);

}  // namespace stepscope::fleet
