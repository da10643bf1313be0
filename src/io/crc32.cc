#include "io/crc32.h"

#include <isa-l/crc.h>

namespace stepscope {

uint32_t Crc32(std::string_view bytes, uint32_t crc) {
  return crc32_gzip_refl(crc, reinterpret_cast<const unsigned char*>(bytes.data()), bytes.size());
}

}  // namespace stepscope
