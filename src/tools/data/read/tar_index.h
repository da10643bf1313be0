#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>

#include "base/result.h"

namespace stepscope {

// What a tar archive holds, as WebDataset reads it: files whose names agree up to the first dot of
// their last part are one sample, if they follow each other.
struct TarIndex {
  uint64_t members = 0;  // regular files
  uint64_t bytes = 0;    // of their contents
  uint64_t samples = 0;
  uint64_t least = UINT64_MAX, most = 0;       // bytes of a member
  std::map<std::string, uint64_t> extensions;  // part after that dot to count
  std::string compression;                     // "none", "gzip", "zstd"
  bool cut = false;                            // the archive ends inside of a member
  std::optional<uint64_t> damaged_at;          // a header whose checksum is wrong
};

// Plain archives are read header by header, compressed ones through.
Result<TarIndex> IndexTar(const std::string& path);

}  // namespace stepscope
