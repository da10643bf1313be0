#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>

#include "base/result.h"
#include "base/time.h"
#include "fleet/listed_path.h"
#include "fleet/rows.h"

namespace stepscope::fleet {

// What was read into the tables, beside them: "_manifest-parquet-<batch>.jsonl" has a line a path
// and is written after the batch's tables. Engines leave out files whose names begin with '_'.
struct ManifestEntry {
  std::optional<int64_t> bytes, mtime_unix_ns;
  Status status = Status::kOk;
  std::string version;  // of the program that read it
};

// Which paths of a list to read although the tables have them.
enum class Again : uint8_t { kNone, kFailed, kOlder, kAll };

class Manifest {
 public:
  // Of all batches of one format in a directory; none where there is no such directory.
  static Result<Manifest> Read(const std::string& directory, std::string_view format);

  // Whether the tables have this path as it is now.
  bool Has(const ListedPath& listed, Again again) const;

 private:
  // By path: one for each time that it was read.
  std::multimap<std::string, ManifestEntry, std::less<>> entries_;
};

std::string ManifestName(std::string_view format, std::string_view batch);
// A line of it.
std::string ManifestLine(const ListedPath& listed, Status status, DurationNs took);

}  // namespace stepscope::fleet
