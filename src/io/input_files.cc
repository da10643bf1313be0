#include "io/input_files.h"

#include <atomic>
#include <cerrno>
#include <mutex>
#include <set>
#include <utility>

#include "words/io.h"

namespace stepscope {
namespace {

constexpr SayFrom<kIoTexts> Say;

std::atomic<bool> protecting = false;

struct Inputs {
  std::mutex mutex;
  std::set<std::pair<dev_t, ino_t>> files;
};
Inputs& AllInputs() {
  static Inputs inputs;
  return inputs;
}

void Note(const struct stat& status) {
  if (!S_ISREG(status.st_mode) && !S_ISFIFO(status.st_mode)) return;
  Inputs& inputs = AllInputs();
  const std::scoped_lock lock(inputs.mutex);
  inputs.files.emplace(status.st_dev, status.st_ino);
}

}  // namespace

void ProtectInputs() { protecting = true; }

void NoteInput(int descriptor) {
  struct stat status{};
  if (protecting && fstat(descriptor, &status) == 0) Note(status);
}

void NoteInput(const std::string& path) {
  struct stat status{};
  if (protecting && stat(path.c_str(), &status) == 0) Note(status);
}

bool IsPipeReadBefore(const std::string& path) {
  struct stat status{};
  if (!protecting || stat(path.c_str(), &status) != 0 || !S_ISFIFO(status.st_mode)) return false;
  return IsInput(status);
}

bool IsInput(const struct stat& status) {
  if (!protecting) return false;
  Inputs& inputs = AllInputs();
  const std::scoped_lock lock(inputs.mutex);
  return inputs.files.contains({status.st_dev, status.st_ino});
}

Result<void> CheckNotInput(const std::string& output, std::span<const std::string> inputs) {
  struct stat written{};
  if (stat(output.c_str(), &written) != 0 || !S_ISREG(written.st_mode)) return {};
  for (const std::string& input : inputs) {
    struct stat read{};
    if (stat(input.c_str(), &read) == 0 && read.st_dev == written.st_dev &&
        read.st_ino == written.st_ino) {
      return OwnInput(output);
    }
  }
  return {};
}

std::unexpected<Error> OwnInput(const std::string& output) {
  return Fail(ErrorCode::kCannotWrite, Say("io.own-input"), output, Say("io.other-output"));
}

}  // namespace stepscope
