#include "io/atomic_file.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <signal.h>
#include <sys/stat.h>
#include <unistd.h>

#include <atomic>
#include <cerrno>
#include <charconv>
#include <cstdio>
#include <cstring>
#include <filesystem>
#include <optional>
#include <utility>

#include "io/input_files.h"
#include "words/io.h"
#include "words/system_reason.h"

namespace stepscope {
namespace {

constexpr SayFrom<kIoTexts> Say;

namespace fs = std::filesystem;

constexpr std::string_view kMark = ".stepscope-tmp-";

Message Reason() { return errno != 0 ? SystemReason(errno) : Say("io.write-failed"); }

std::unexpected<Error> CannotWrite(const std::string& path, Message what) {
  return Fail(ErrorCode::kCannotWrite, std::move(what), path, Say("io.check-folder"));
}

struct Place {
  std::string folder;  // with its slash; empty: the current one
  std::string name;
};
Place PlaceOf(const std::string& path) {
  const size_t slash = path.rfind('/');
  if (slash == std::string::npos) return {"", path};
  return {path.substr(0, slash + 1), path.substr(slash + 1)};
}

std::string TemporaryNameFor(const Place& place) {
  static std::atomic<uint64_t> serial = 0;
  return fmt::format("{}.{}{}{}-{}", place.folder, place.name, kMark, getpid(), ++serial);
}

// The descriptor that a path like /dev/stdout or /dev/fd/3 stands for.
std::optional<int> DescriptorNamed(std::string_view path) {
  if (path == "-" || path == "/dev/stdout") return STDOUT_FILENO;
  if (path == "/dev/stderr") return STDERR_FILENO;
  for (const std::string_view folder : {"/dev/fd/", "/proc/self/fd/"}) {
    if (!path.starts_with(folder)) continue;
    const std::string_view digits = path.substr(folder.size());
    int number = -1;
    const auto [end, fault] = std::from_chars(digits.begin(), digits.end(), number);
    if (fault == std::errc() && end == digits.end()) return number;
  }
  return std::nullopt;
}

// Where a chain of links leads, whether something is there or not; a descriptor ends the chain.
std::string FollowLinks(std::string path) {
  constexpr int kMost = 40;  // as the system does
  for (int i = 0; i < kMost && !DescriptorNamed(path); ++i) {
    std::error_code none;
    const fs::path to = fs::read_symlink(path, none);
    if (none) break;
    path = to.is_absolute() ? to.string() : PlaceOf(path).folder + to.string();
  }
  return path;
}

// A file without a name, -1 where the file system cannot make one or could not name it later.
int OpenNameless(const std::string& folder) {
  if (access("/proc/self/fd", X_OK) != 0) return -1;
  return open(folder.empty() ? "." : folder.c_str(), O_TMPFILE | O_RDWR | O_CLOEXEC, 0666);
}

// Removes what killed runs left for this name; files of runs that live stay.
void RemoveLeftovers(const Place& place) {
  std::error_code ignored;
  const std::string start = fmt::format(".{}{}", place.name, kMark);
  for (const auto& entry :
       fs::directory_iterator(place.folder.empty() ? "." : place.folder, ignored)) {
    const std::string name = entry.path().filename().string();
    if (!name.starts_with(start)) continue;
    pid_t process = 0;
    std::from_chars(name.data() + start.size(), name.data() + name.size(), process);
    if (process > 0 && kill(process, 0) != 0 && errno == ESRCH) {
      fs::remove_all(entry.path(), ignored);
    }
  }
}

}  // namespace

bool IsTemporaryName(std::string_view name) { return name.contains(kMark); }

Result<AtomicFile> AtomicFile::Create(const std::string& path, Overwrite overwrite) {
  return CreateAs(Kind::kNameless, path, overwrite);
}

Result<AtomicFile> AtomicFile::CreateNamed(const std::string& path, Overwrite overwrite) {
  Result<AtomicFile> made = CreateAs(Kind::kTemporary, path, overwrite);
  if (made && made->kind_ != Kind::kTemporary) {
    return Fail(ErrorCode::kCannotWrite, Say("io.no-regular-file"), path, Say("io.other-output"));
  }
  return made;
}

Result<AtomicFile> AtomicFile::CreateAs(Kind wanted, const std::string& path, Overwrite overwrite) {
  std::string target = FollowLinks(path);
  if (const std::optional<int> descriptor = DescriptorNamed(target)) {
    return AtomicFile(Kind::kBorrowed, *descriptor, path, {}, overwrite);
  }
  struct stat status{};
  const bool exists = stat(target.c_str(), &status) == 0;
  if (exists && !S_ISREG(status.st_mode)) {
    errno = 0;
    const int device = open(target.c_str(), O_WRONLY | O_CLOEXEC | O_NOCTTY);
    if (device < 0) return CannotWrite(path, Say("io.cannot-open-writing", Reason()));
    return AtomicFile(Kind::kThrough, device, path, {}, overwrite);
  }
  if (exists && IsInput(status)) return OwnInput(path);
  if (exists && overwrite == Overwrite::kNever) {
    return Fail(ErrorCode::kCannotWrite, Say("io.exists"), path, Say("io.other-name"));
  }
  errno = 0;
  if (exists && access(target.c_str(), W_OK) != 0)
    return CannotWrite(path, Say("io.cannot-replace", Reason()));
  const Place place = PlaceOf(target);
  std::string temporary = TemporaryNameFor(place);
  Kind kind = wanted;
  int file = wanted == Kind::kNameless ? OpenNameless(place.folder) : -1;
  if (file < 0) {
    kind = Kind::kTemporary;
    RemoveLeftovers(place);
    errno = 0;
    file = open(temporary.c_str(), O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
  }
  if (file < 0) return CannotWrite(path, Say("io.cannot-create", Reason()));
  if (exists) (void)fchmod(file, status.st_mode & 07777);
  return AtomicFile(kind, file, std::move(target), std::move(temporary), overwrite);
}

AtomicFile::AtomicFile(AtomicFile&& other) noexcept
    : kind_(other.kind_),
      file_(std::exchange(other.file_, -1)),
      path_(std::move(other.path_)),
      temporary_(std::move(other.temporary_)),
      overwrite_(other.overwrite_),
      size_(other.size_) {}

AtomicFile::~AtomicFile() {
  if (file_ < 0 || kind_ == Kind::kBorrowed) return;
  close(file_);
  if (kind_ == Kind::kTemporary) unlink(temporary_.c_str());
}

Result<void> AtomicFile::WriteAt(uint64_t offset, std::string_view bytes) {
  while (!bytes.empty()) {
    errno = 0;
    const ssize_t wrote = pwrite(file_, bytes.data(), bytes.size(), static_cast<off_t>(offset));
    if (wrote < 0 && errno == EINTR) continue;
    if (wrote <= 0) return CannotWrite(path_, Say("io.cannot-write", Reason()));
    bytes.remove_prefix(static_cast<size_t>(wrote));
    offset += static_cast<uint64_t>(wrote);
  }
  return {};
}

Result<void> AtomicFile::Append(std::string_view bytes) {
  size_ += bytes.size();
  if (kind_ == Kind::kBorrowed && file_ == STDOUT_FILENO) std::fflush(stdout);
  while (!bytes.empty()) {
    errno = 0;
    const ssize_t wrote = write(file_, bytes.data(), bytes.size());
    if (wrote < 0 && errno == EINTR) continue;
    if (wrote <= 0) return CannotWrite(path_, Say("io.cannot-write", Reason()));
    bytes.remove_prefix(static_cast<size_t>(wrote));
  }
  return {};
}

bool AtomicFile::GiveNameOfNameless() {
  const std::string self = fmt::format("/proc/self/fd/{}", file_);
  const auto link_as = [&](const std::string& name) {
    return linkat(AT_FDCWD, self.c_str(), AT_FDCWD, name.c_str(), AT_SYMLINK_FOLLOW) == 0;
  };
  if (link_as(path_)) return true;
  if (errno != EEXIST || overwrite_ == Overwrite::kNever) return false;
  // A link cannot replace: for the moment of the rename the file has a temporary name.
  if (!link_as(temporary_)) return false;
  if (rename(temporary_.c_str(), path_.c_str()) == 0) return true;
  const int reason = errno;
  unlink(temporary_.c_str());
  errno = reason;
  return false;
}

bool AtomicFile::GiveName() {
  if (kind_ == Kind::kNameless) return GiveNameOfNameless();
  if (close(std::exchange(file_, -1)) != 0) return false;
  if (overwrite_ == Overwrite::kAllowed) return rename(temporary_.c_str(), path_.c_str()) == 0;
  // link() refuses to replace what appeared meanwhile; not every file system has it.
  if (link(temporary_.c_str(), path_.c_str()) == 0) return unlink(temporary_.c_str()) == 0;
  return errno != EEXIST && rename(temporary_.c_str(), path_.c_str()) == 0;
}

Result<void> AtomicFile::Commit() {
  errno = 0;
  if (kind_ == Kind::kBorrowed) {
    file_ = -1;
    return {};
  }
  if (kind_ == Kind::kThrough) {
    if (close(std::exchange(file_, -1)) == 0) return {};
    return CannotWrite(path_, Say("io.cannot-finish", Reason()));
  }
  if (fsync(file_) != 0 || !GiveName()) {
    const int reason = errno;
    if (file_ >= 0) close(std::exchange(file_, -1));
    if (kind_ == Kind::kTemporary) unlink(temporary_.c_str());
    errno = reason;
    return CannotWrite(path_, Say("io.cannot-finish", Reason()));
  }
  if (file_ >= 0) close(std::exchange(file_, -1));  // synced: nothing can fail any more
  return {};
}

Result<void> WriteFile(const std::string& path, std::string_view content) {
  Result<AtomicFile> file = AtomicFile::Create(path, Overwrite::kAllowed);
  if (!file) return std::unexpected(std::move(file.error()));
  if (Result<void> written = file->Append(content); !written) return written;
  return file->Commit();
}

Result<void> WriteDirectory(const std::string& directory, std::span<const NamedContent> files) {
  std::string whole = directory;
  while (whole.size() > 1 && whole.ends_with('/')) whole.pop_back();
  std::error_code error;
  const bool exists = fs::is_directory(whole, error);
  const Place place = exists ? Place{whole + "/", "tables"} : PlaceOf(whole);
  if (!exists && !place.folder.empty()) fs::create_directories(place.folder, error);
  RemoveLeftovers(place);
  const std::string temporary = TemporaryNameFor(place);
  errno = 0;
  if (mkdir(temporary.c_str(), 0777) != 0)
    return CannotWrite(directory, Say("io.cannot-make", Reason()));
  const auto write_all = [&]() -> Result<void> {
    for (const NamedContent& file : files) {
      struct stat status{};
      const std::string at = whole + "/" + file.name;
      if (exists && stat(at.c_str(), &status) == 0 && IsInput(status)) return OwnInput(at);
      if (Result<void> done = WriteFile(temporary + "/" + file.name, file.content); !done) {
        done.error().file = at;
        return done;
      }
    }
    errno = 0;
    if (!exists) {
      return rename(temporary.c_str(), whole.c_str()) == 0
                 ? Result<void>()
                 : CannotWrite(directory, Say("io.cannot-name", Reason()));
    }
    for (const NamedContent& file : files) {
      const std::string from = temporary + "/" + file.name;
      const std::string to = FollowLinks(whole + "/" + file.name);
      if (rename(from.c_str(), to.c_str()) != 0)
        return CannotWrite(to, Say("io.cannot-replace", Reason()));
    }
    return {};
  };
  Result<void> done = write_all();
  if (!done || exists) fs::remove_all(temporary, error);
  return done;
}

}  // namespace stepscope
