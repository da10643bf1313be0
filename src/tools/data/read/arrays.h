#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"

namespace stepscope {

// A NumPy array as its header describes it.
struct NpyHeader {
  std::string type;  // "<f4"
  std::vector<int64_t> shape;
  bool fortran_order = false;
  uint64_t header_bytes = 0;
};

// From the first bytes of a .npy file (4 KiB are plenty).
Result<NpyHeader> ParseNpyHeader(std::string_view bytes);
Result<NpyHeader> ReadNpyHeader(const std::string& path);

// One member of a zip archive, which is what .npz is.
struct ZipMember {
  std::string name;
  uint64_t compressed = 0;
  uint64_t uncompressed = 0;
  bool deflated = false;
  uint64_t header_offset = 0;
};
// From the central directory; no data is read.
Result<std::vector<ZipMember>> ReadZipDirectory(const std::string& path);

}  // namespace stepscope
