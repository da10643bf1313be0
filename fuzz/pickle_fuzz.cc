// Any bytes as a pickle: nothing may crash, loop or run.

#include <cstdint>

#include "read/pickle/pickle.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  using namespace stepscope;
  const std::string_view bytes(reinterpret_cast<const char*>(data), size);
  const Result<Pickle> pickle = Pickle::Parse(bytes, "fuzz");
  if (!pickle) return 0;
  for (const Pickle::Handle item : pickle->Items(pickle->root())) pickle->Text(item);
  for (const Pickle::Handle member : pickle->Members(pickle->root())) pickle->Integer(member);
  return 0;
}
