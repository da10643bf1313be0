#pragma once

#include <sys/types.h>

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>

namespace stepscope {

// Reads the memory of another process without stopping it: a bad address is an answer, never a
// fault. Reads may be torn when the process writes meanwhile.
class ProcessMemory {
 public:
  explicit ProcessMemory(pid_t pid) : pid_(pid) {}

  bool Read(uint64_t address, std::span<char> into);
  template <typename T>
  std::optional<T> Read(uint64_t address) {
    T value;
    if (!Read(address, {reinterpret_cast<char*>(&value), sizeof value})) return std::nullopt;
    return value;
  }
  // The kernel refuses: another user's process, or a container without ptrace.
  bool refused() const { return refused_; }

 private:
  pid_t pid_;
  bool refused_ = false;
};

}  // namespace stepscope
