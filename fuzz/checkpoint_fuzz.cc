// The index of a checkpoint: a table of blocks, each with a checksum.
#include <cstddef>
#include <cstdint>
#include <string_view>

#include "read/checkpoint/checkpoint.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  stepscope::Diagnostics diagnostics;
  const std::string_view bytes(reinterpret_cast<const char*>(data), size);
  (void)stepscope::ParseCheckpointIndex(bytes, "fuzz", diagnostics);
  return 0;
}
