// Any bytes as a log of TORCH_TRACE.

#include <cstdint>
#include <cstdlib>
#include <string_view>

#include "read/compile_log/compile_log.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  using namespace stepscope;
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  IsCompileLog(text);
  const CompileLog log = ReadCompileLog(text);
  if (log.compilations.size() > log.records) std::abort();
  return 0;
}
