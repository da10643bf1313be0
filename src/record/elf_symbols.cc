#include "record/elf_symbols.h"

#include <elf.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cstring>

namespace stepscope {
namespace {

// Parts of a file, read when asked for: a library may be replaced while it is looked at, and a map
// of it would end this process then.
class ElfParts {
 public:
  explicit ElfParts(const std::string& path) : file_(open(path.c_str(), O_RDONLY | O_CLOEXEC)) {
    struct stat status{};
    if (file_ >= 0 && fstat(file_, &status) == 0) size_ = static_cast<uint64_t>(status.st_size);
  }
  ~ElfParts() {
    if (file_ >= 0) close(file_);
  }
  ElfParts(const ElfParts&) = delete;
  ElfParts& operator=(const ElfParts&) = delete;

  // Zeroes where the file ends before it.
  template <typename T>
  T At(uint64_t offset) const {
    T value{};
    if (pread(file_, &value, sizeof value, static_cast<off_t>(offset)) != sizeof value) return {};
    return value;
  }
  std::string Section(const Elf64_Shdr& header) const {
    if (header.sh_type == SHT_NOBITS || header.sh_offset > size_) return {};
    std::string bytes(std::min<uint64_t>(header.sh_size, size_ - header.sh_offset), '\0');
    size_t filled = 0;
    while (filled < bytes.size()) {
      const ssize_t got = pread(file_, bytes.data() + filled, bytes.size() - filled,
                                static_cast<off_t>(header.sh_offset + filled));
      if (got <= 0) break;
      filled += static_cast<size_t>(got);
    }
    bytes.resize(filled);
    return bytes;
  }

 private:
  const int file_;
  uint64_t size_ = 0;
};

std::string_view NameAt(std::string_view strings, uint64_t offset) {
  if (offset >= strings.size()) return {};
  const std::string_view rest = strings.substr(offset);
  return rest.substr(0, rest.find('\0'));
}

}  // namespace

ElfSymbols FindElfSymbols(const std::string& path, std::span<const std::string_view> names) {
  ElfSymbols found;
  const ElfParts file(path);
  const auto header = file.At<Elf64_Ehdr>(0);
  if (std::memcmp(header.e_ident, ELFMAG, SELFMAG) != 0 || header.e_ident[EI_CLASS] != ELFCLASS64) {
    return found;
  }
  found.relocated = header.e_type == ET_DYN;
  for (uint16_t i = 0; i < header.e_phnum; ++i) {
    const auto segment = file.At<Elf64_Phdr>(header.e_phoff + i * sizeof(Elf64_Phdr));
    if (segment.p_type != PT_LOAD) continue;
    found.first_load = segment.p_vaddr;
    break;
  }
  for (uint16_t i = 0; i < header.e_shnum; ++i) {
    const auto section = file.At<Elf64_Shdr>(header.e_shoff + i * sizeof(Elf64_Shdr));
    if (section.sh_type != SHT_DYNSYM && section.sh_type != SHT_SYMTAB) continue;
    const std::string strings =
        file.Section(file.At<Elf64_Shdr>(header.e_shoff + section.sh_link * sizeof(Elf64_Shdr)));
    const std::string symbols = file.Section(section);
    for (uint64_t at = 0; at + sizeof(Elf64_Sym) <= symbols.size(); at += sizeof(Elf64_Sym)) {
      Elf64_Sym symbol;
      std::memcpy(&symbol, symbols.data() + at, sizeof symbol);
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
