#include "io/crc32c.h"

#include <isa-l/crc.h>

#include <algorithm>
#include <limits>

namespace stepscope {

uint32_t ExtendCrc32c(uint32_t crc, std::string_view bytes) {
  // crc32_iscsi takes an int length and neither inverts its input nor its result; it reads only,
  // though its parameter is not const.
  constexpr size_t kMost = std::numeric_limits<int>::max();
  uint32_t state = ~crc;
  while (!bytes.empty()) {
    const size_t size = std::min(bytes.size(), kMost);
    auto* data = reinterpret_cast<unsigned char*>(const_cast<char*>(bytes.data()));
    state = crc32_iscsi(data, static_cast<int>(size), state);
    bytes.remove_prefix(size);
  }
  return ~state;
}

uint32_t Crc32c(std::string_view bytes) { return ExtendCrc32c(0, bytes); }

}  // namespace stepscope
