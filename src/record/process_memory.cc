#include "record/process_memory.h"

#include <sys/uio.h>

#include <cerrno>

namespace stepscope {

bool ProcessMemory::Read(uint64_t address, std::span<char> into) {
  iovec local{into.data(), into.size()};
  iovec remote{reinterpret_cast<void*>(address), into.size()};
  const ssize_t got = process_vm_readv(pid_, &local, 1, &remote, 1, 0);
  if (got < 0 && (errno == EPERM || errno == ENOSYS)) refused_ = true;
  return got == static_cast<ssize_t>(into.size());
}

}  // namespace stepscope
