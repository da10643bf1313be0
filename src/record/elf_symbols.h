#pragma once

#include <cstdint>
#include <map>
#include <span>
#include <string>
#include <string_view>

namespace stepscope {

// Addresses of named symbols of a 64-bit ELF file, as the file states them, and whether it is
// loaded at an address of the system's choice (they are then relative to it).
struct ElfSymbols {
  std::map<std::string, uint64_t> values;
  bool relocated = true;
  uint64_t first_load = 0;  // address of the first loadable segment
};
ElfSymbols FindElfSymbols(const std::string& path, std::span<const std::string_view> names);

}  // namespace stepscope
