// Any bytes as a section of fat binaries, and as the ELF file around one.

#include <cstdint>

#include "tools/doctor/machine/elf_file.h"
#include "tools/doctor/machine/fat_binary.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  using namespace stepscope;
  const std::string_view bytes(reinterpret_cast<const char*>(data), size);
  (void)BuiltForOf(ParseFatBinaries(bytes));
  if (const auto elf = ElfFile::Parse(bytes)) {
    (void)ParseFatBinaries(elf->SectionNamed(".nv_fatbin"));
  }
  return 0;
}
