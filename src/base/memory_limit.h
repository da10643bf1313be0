#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace stepscope {

// What this process may use: the smallest of the machine's memory and its cgroups' limits, less a
// reserve of 5 % (at least 128 MiB) for everything else. `proc` and `cgroup` are where the system
// shows them.
uint64_t AllowedMemory(const std::string& proc = "/proc",
                       const std::string& cgroup = "/sys/fs/cgroup");

// Memory beyond this cannot be had: an allocation fails with std::bad_alloc instead of the machine
// running out. Counts what is allocated for data, touched or not; programs that this one starts
// inherit it.
void LimitMemory(uint64_t bytes);
// 0: no limit was set.
uint64_t MemoryLimit();
// What is allocated for data now.
uint64_t MemoryInUse();
// False when so many bytes more would exceed the limit: checked before a large allocation, where a
// sentence can still say what for.
bool FitsIntoMemory(uint64_t bytes);

// "8G", "512MiB", "1000000"; nothing where it is no size.
std::optional<uint64_t> ParseMemorySize(std::string_view text);

}  // namespace stepscope
