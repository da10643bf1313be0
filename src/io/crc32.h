#pragma once

#include <cstdint>
#include <string_view>

namespace stepscope {

// CRC-32 as zlib, gzip and Python's zlib.crc32 compute it. Recordings use it, because their
// blocks are written from Python too.
uint32_t Crc32(std::string_view bytes, uint32_t crc = 0);

}  // namespace stepscope
