#include "record/elf_symbols.h"

#include <elf.h>

#include <algorithm>
#include <cstring>

#include "io/mapped_file.h"

namespace stepscope {
namespace {

// Copies a struct out of the file, zeroes where the file ends before it.
template <typename T>
T At(std::string_view file, uint64_t offset) {
  T value{};
  if (offset <= file.size() && file.size() - offset >= sizeof value) {
    std::memcpy(&value, file.data() + offset, sizeof value);
  }
  return value;
}

std::string_view NameAt(std::string_view strings, uint64_t offset) {
  if (offset >= strings.size()) return {};
  const std::string_view rest = strings.substr(offset);
  return rest.substr(0, rest.find('\0'));
}

std::string_view Section(std::string_view file, const Elf64_Shdr& header) {
  if (header.sh_offset > file.size()) return {};
  return file.substr(header.sh_offset, header.sh_size);
}

}  // namespace

ElfSymbols FindElfSymbols(const std::string& path, std::span<const std::string_view> names) {
  ElfSymbols found;
  const std::optional<MappedFile> mapped = MappedFile::Open(path);
  if (!mapped) return found;
  const std::string_view file(mapped->bytes().data(), mapped->bytes().size());
  const auto header = At<Elf64_Ehdr>(file, 0);
  if (std::memcmp(header.e_ident, ELFMAG, SELFMAG) != 0 || header.e_ident[EI_CLASS] != ELFCLASS64) {
    return found;
  }
  found.relocated = header.e_type == ET_DYN;
  for (uint16_t i = 0; i < header.e_phnum; ++i) {
    const auto segment = At<Elf64_Phdr>(file, header.e_phoff + i * sizeof(Elf64_Phdr));
    if (segment.p_type != PT_LOAD) continue;
    found.first_load = segment.p_vaddr;
    break;
  }
  for (uint16_t i = 0; i < header.e_shnum; ++i) {
    const auto section = At<Elf64_Shdr>(file, header.e_shoff + i * sizeof(Elf64_Shdr));
    if (section.sh_type != SHT_DYNSYM && section.sh_type != SHT_SYMTAB) continue;
    const std::string_view strings =
        Section(file, At<Elf64_Shdr>(file, header.e_shoff + section.sh_link * sizeof(Elf64_Shdr)));
    const std::string_view symbols = Section(file, section);
    for (uint64_t at = 0; at + sizeof(Elf64_Sym) <= symbols.size(); at += sizeof(Elf64_Sym)) {
      const auto symbol = At<Elf64_Sym>(symbols, at);
      if (symbol.st_value == 0) continue;
      const std::string_view name = NameAt(strings, symbol.st_name);
      if (std::find(names.begin(), names.end(), name) == names.end()) continue;
      found.values.emplace(name, symbol.st_value);
    }
    if (found.values.size() == names.size()) break;
  }
  return found;
}

}  // namespace stepscope
