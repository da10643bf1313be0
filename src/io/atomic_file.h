#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>

#include "base/result.h"

namespace stepscope {

enum class Overwrite : uint8_t { kNever, kAllowed };

// The one way in which the program writes files. A regular file appears under its name only when it
// is complete and on disk: it has no name till then, or a temporary one in the same directory where
// the file system knows no nameless files. Without Commit the old file stays and nothing is left
// behind. A link stays a link. "-", /dev/stdout, pipes, terminals and devices are written through.
// What the program reads (io/input_files.h) is never replaced. WriteAt may be called from several
// threads at once; it is for regular files.
class AtomicFile {
 public:
  static Result<AtomicFile> Create(const std::string& path, Overwrite overwrite);
  // For a library that opens files by name: the file is at temporary() till Commit. Regular files
  // only.
  static Result<AtomicFile> CreateNamed(const std::string& path, Overwrite overwrite);
  AtomicFile(AtomicFile&& other) noexcept;
  AtomicFile& operator=(AtomicFile&&) = delete;
  ~AtomicFile();

  Result<void> WriteAt(uint64_t offset, std::string_view bytes);
  Result<void> Append(std::string_view bytes);
  Result<void> Commit();
  uint64_t size() const { return size_; }  // of what was appended
  const std::string& temporary() const { return temporary_; }

 private:
  enum class Kind : uint8_t { kNameless, kTemporary, kThrough, kBorrowed };

  static Result<AtomicFile> CreateAs(Kind wanted, const std::string& path, Overwrite overwrite);
  AtomicFile(Kind kind, int file, std::string path, std::string temporary, Overwrite overwrite)
      : kind_(kind),
        file_(file),
        path_(std::move(path)),
        temporary_(std::move(temporary)),
        overwrite_(overwrite) {}
  bool GiveName();
  bool GiveNameOfNameless();

  Kind kind_;
  int file_;
  std::string path_;
  std::string temporary_;
  Overwrite overwrite_;
  uint64_t size_ = 0;
};

// Creates or replaces a file with this content.
Result<void> WriteFile(const std::string& path, std::string_view content);

struct NamedContent {
  std::string name;
  std::string_view content;
};
// Writes files into a directory that is made where it is missing. They are first written into a
// temporary directory beside (a new directory) or inside it (an existing one) and moved when all
// are complete: whoever finds that directory knows that the set is not whole. Other files stay.
Result<void> WriteDirectory(const std::string& directory, std::span<const NamedContent> files);

// Leftovers of a run that was killed: names that were given to temporary files and directories.
bool IsTemporaryName(std::string_view name);

}  // namespace stepscope
