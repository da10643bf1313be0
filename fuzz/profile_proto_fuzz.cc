#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>

#include "tools/tfprof/profile_proto/profile_proto.h"

namespace {

// The fuzzer's bytes are alive for one run.
stepscope::FileBytes BytesOf(const uint8_t* data, size_t size) {
  return {{reinterpret_cast<const char*>(data), size}, nullptr, std::nullopt};
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  stepscope::Diagnostics diagnostics;
  (void)stepscope::ParseProfileProto(BytesOf(data, size), "fuzz", diagnostics);
  return 0;
}
