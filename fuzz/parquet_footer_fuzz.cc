// Any bytes as the footer of a Parquet file, and as the header of a NumPy array.

#include <cstdint>

#include "tools/data/read/arrays.h"
#include "tools/data/read/parquet_footer.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  using namespace stepscope;
  const std::string_view bytes(reinterpret_cast<const char*>(data), size);
  (void)ParseParquetFooter(bytes);
  (void)ParseNpyHeader(bytes);
  return 0;
}
