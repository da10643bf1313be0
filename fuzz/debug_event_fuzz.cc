// Any bytes as messages of a tfdbg v2 dump, each behind two bytes of length, then the hunt over
// what they built.

#include <algorithm>
#include <cstdint>
#include <string_view>

#include "tools/nan/nan_hunt.h"
#include "tools/nan/tfdbg/debug_event.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  using namespace stepscope;
  std::string_view rest(reinterpret_cast<const char*>(data), size);
  DebugEvents events;
  while (rest.size() >= 2) {
    const size_t length = static_cast<uint8_t>(rest[0]) | static_cast<uint8_t>(rest[1]) << 8;
    rest.remove_prefix(2);
    (void)events.Add(rest.substr(0, length));
    rest.remove_prefix(std::min(length, rest.size()));
  }
  (void)HuntNan(events.Finish());
  return 0;
}
