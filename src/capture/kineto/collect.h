#pragma once

#include <optional>
#include <string>

#include "base/result.h"
#include "capture/capture.h"
#include "capture/kineto/ranks.h"

namespace stepscope {

// Looks for the file that a process writes: at the place asked for, at Kineto's own where it did
// not like that, and through /proc where the process sees other disks than we do.
class RankFile {
 public:
  RankFile(const KinetoRank& rank, bool memory);

  // The path once the file is whole: it has its last byte, and it stopped growing.
  std::optional<std::string> Look();
  // Whether there is a file, whole or not.
  bool Exists() const;
  // Where it was asked to be written, for people.
  const std::string& expected() const { return candidates_[0]; }

 private:
  // How many bytes the file has; none where it is missing, empty or older than the capture.
  std::optional<uint64_t> Size(const std::string& path) const;

  std::vector<std::string> candidates_;
  int64_t not_before_;  // seconds since 1970: older files are of others
  bool memory_;
  std::string seen_;
  uint64_t seen_bytes_ = 0;
};

// Brings it into the directory, compressed, and removes it where it was.
Result<CapturedFile> TakeFile(const std::string& path, const KinetoRank& rank, bool memory,
                              const std::string& directory);

// The same for any file: to this path, compressed as its name says.
Result<CapturedFile> BringFile(const std::string& from, const std::string& to, Message source);

// "process 4242 (rank 3)".
Message NameOfRank(const KinetoRank& rank);

}  // namespace stepscope
