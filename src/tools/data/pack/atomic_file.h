#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "base/result.h"

namespace stepscope {

enum class Overwrite : uint8_t { kNever, kAllowed };

// A file that appears under its name only when it is complete: written under a temporary name in
// the same directory, then renamed. Without Commit nothing is left behind. WriteAt may be called
// from several threads at once.
class AtomicFile {
 public:
  static Result<AtomicFile> Create(const std::string& path, Overwrite overwrite);
  AtomicFile(AtomicFile&& other) noexcept;
  AtomicFile& operator=(AtomicFile&&) = delete;
  ~AtomicFile();

  Result<void> WriteAt(uint64_t offset, std::string_view bytes);
  Result<void> Append(std::string_view bytes);
  Result<void> Commit();
  uint64_t size() const { return size_; }  // of what was appended

 private:
  AtomicFile(int file, std::string path, std::string temporary, Overwrite overwrite)
      : file_(file),
        path_(std::move(path)),
        temporary_(std::move(temporary)),
        overwrite_(overwrite) {}

  int file_;
  std::string path_;
  std::string temporary_;
  Overwrite overwrite_;
  uint64_t size_ = 0;
};

// Leftovers of a run that was killed: names that AtomicFile gave its temporary files.
bool IsTemporaryName(std::string_view name);

}  // namespace stepscope
