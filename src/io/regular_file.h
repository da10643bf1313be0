#pragma once

#include <sys/stat.h>

#include <atomic>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>

#include "base/result.h"

namespace stepscope {

// A plain file that is read a piece at a time, in any order and from many threads. A map would do
// without the copies, but another program that cuts the file ends the process that touches the map.
class RegularFile {
 public:
  // Null where the path is something else (a pipe, a folder) or cannot be opened.
  static std::unique_ptr<RegularFile> Open(const std::string& path);
  ~RegularFile();
  RegularFile(const RegularFile&) = delete;
  RegularFile& operator=(const RegularFile&) = delete;

  uint64_t size() const { return static_cast<uint64_t>(opened_.st_size); }
  // How much of the span the file filled from the offset on; the rest becomes zeros.
  size_t Read(uint64_t offset, std::span<char> into) const;
  // Why what was read may not be the file: a read that failed, or another program that cut or
  // rewrote it since it was opened. Ask when the last piece has been read.
  std::optional<Error> Damage() const;

 private:
  RegularFile(int descriptor, const struct stat& opened, std::string path)
      : descriptor_(descriptor), opened_(opened), path_(std::move(path)) {}

  const int descriptor_;
  const struct stat opened_;
  const std::string path_;
  mutable std::atomic<int> failed_ = 0;  // errno of a read
};

}  // namespace stepscope
