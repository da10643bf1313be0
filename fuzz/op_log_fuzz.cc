#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>

#include "tools/tfprof/op_log/op_log.h"

namespace {

// The fuzzer's bytes are alive for one run.
stepscope::FileBytes BytesOf(const uint8_t* data, size_t size) {
  return {{reinterpret_cast<const char*>(data), size}, nullptr, std::nullopt};
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  stepscope::Diagnostics diagnostics;
  (void)stepscope::ParseOpLog(BytesOf(data, size), "fuzz", diagnostics);
  return 0;
}
