#include "memory_file.h"

#include <fmt/format.h>
#include <sys/mman.h>
#include <unistd.h>

#include <cerrno>
#include <system_error>
#include <utility>

namespace stepscope::python {

Result<MemoryFile> MemoryFile::Of(std::string_view bytes) {
  const auto fail = [] {
    return Fail(ErrorCode::kCannotRead,
                "no memory for a copy of the bytes: " + std::generic_category().message(errno));
  };
  const int descriptor = memfd_create("stepscope", MFD_CLOEXEC);
  if (descriptor < 0) return fail();
  MemoryFile file(descriptor);
  while (!bytes.empty()) {
    const ssize_t written = write(descriptor, bytes.data(), bytes.size());
    if (written < 0 && errno == EINTR) continue;
    if (written < 0) return fail();
    bytes.remove_prefix(static_cast<size_t>(written));
  }
  return file;
}

MemoryFile::MemoryFile(MemoryFile&& other) noexcept
    : descriptor_(std::exchange(other.descriptor_, -1)) {}

MemoryFile::~MemoryFile() {
  if (descriptor_ >= 0) close(descriptor_);
}

std::string MemoryFile::path() const { return fmt::format("/proc/self/fd/{}", descriptor_); }

}  // namespace stepscope::python
