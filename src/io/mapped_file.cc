#include "io/mapped_file.h"

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cstdint>
#include <utility>

namespace stepscope {

std::optional<MappedFile> MappedFile::Open(const std::string& path) {
  const int descriptor = open(path.c_str(), O_RDONLY | O_CLOEXEC);
  if (descriptor < 0) return std::nullopt;
  struct stat status{};
  void* at = MAP_FAILED;
  if (fstat(descriptor, &status) == 0 && S_ISREG(status.st_mode) && status.st_size > 0) {
    at = mmap(nullptr, static_cast<size_t>(status.st_size), PROT_READ, MAP_PRIVATE, descriptor, 0);
  }
  close(descriptor);
  if (at == MAP_FAILED) return std::nullopt;
  const auto size = static_cast<size_t>(status.st_size);
  std::shared_ptr<const void> owner(at, [size](void* p) { munmap(p, size); });
  return MappedFile({static_cast<const char*>(at), size}, std::move(owner));
}

void MappedFile::Forget(std::string_view part) const {
  const auto page = static_cast<size_t>(sysconf(_SC_PAGESIZE));
  // Whole pages only: the rest of the first and the last one belongs to somebody else.
  const size_t before = (page - reinterpret_cast<uintptr_t>(part.data()) % page) % page;
  if (part.size() < before + page) return;
  const size_t bytes = (part.size() - before) / page * page;
  madvise(const_cast<char*>(part.data()) + before, bytes, MADV_DONTNEED);
}

}  // namespace stepscope
