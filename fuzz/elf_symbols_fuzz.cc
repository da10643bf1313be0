// Any bytes as a shared library whose symbols are looked up.

#include <array>
#include <cstdint>
#include <fstream>

#include "base/testing/temp_dir.h"
#include "record/elf_symbols.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  using namespace stepscope;
  static const TempDir folder;
  static const std::string path = folder / "library.so";
  std::ofstream(path, std::ios::binary)
      .write(reinterpret_cast<const char*>(data), static_cast<std::streamsize>(size));
  constexpr std::array<std::string_view, 2> kNames{"_PyRuntime", "main"};
  (void)FindElfSymbols(path, kNames);
  return 0;
}
