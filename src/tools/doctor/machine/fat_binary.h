#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"

namespace stepscope {

// GPU code in a library: CUDA puts it into sections of the ELF file as "fat binaries", each a
// header and entries with code for one architecture, as machine code (SASS) or as PTX, which the
// driver compiles at start-up. Layout, little-endian:
//   header: u32 magic ba55ed50 | u16 version | u16 header bytes | u64 bytes that follow
//   entry:  u16 kind (1 PTX, 2 SASS) | u16 version | u32 header bytes | u64 payload bytes | …
//           | at 28: u32 architecture (90 for sm_90)
struct GpuCode {
  uint64_t fat_binaries = 0;
  uint64_t bytes = 0;                 // of all entries
  std::map<uint32_t, uint64_t> sass;  // architecture to fat binaries that have it
  std::map<uint32_t, uint64_t> ptx;
  uint64_t damaged = 0;  // regions that could not be read through

  void Merge(const GpuCode& other);
};

// All fat binaries in the bytes of a section, wherever they begin (they are aligned to 8).
GpuCode ParseFatBinaries(std::string_view section);

// What a library was built for. An architecture that only a few kernels have (special variants) is
// not one that the library as a whole runs on: it must be in at least half as many fat binaries as
// the most common one.
struct BuiltFor {
  std::vector<uint32_t> sass;  // ascending
  std::vector<uint32_t> ptx;
  std::vector<uint32_t> some_sass;  // only some kernels
  std::vector<uint32_t> some_ptx;
};
BuiltFor BuiltForOf(const GpuCode& code);

}  // namespace stepscope
