// Any bytes as the head of a file.

#include <cstdint>
#include <string_view>

#include "read/open.h"
#include "read/trace_readers.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  const std::string_view head(reinterpret_cast<const char*>(data), size);
  const stepscope::FileType type = stepscope::FileTypeOf(head);
  if (stepscope::ReaderOf(type) == nullptr) stepscope::WhyNotRead(type, "fuzz", head);
  return 0;
}
