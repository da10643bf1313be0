// Any bytes as the footer of a Parquet file, and as the header of a NumPy array.

#include <cstdint>

#include "read/dataset/arrays.h"
#include "read/dataset/parquet_footer.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  using namespace stepscope;
  const std::string_view bytes(reinterpret_cast<const char*>(data), size);
  (void)ParseParquetFooter(bytes);
  (void)ParseNpyHeader(bytes);
  return 0;
}
