#include "tools/doctor/machine/elf_file.h"

#include <elf.h>
#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>

#include "words/system_reason.h"
#include "words/tools.h"

namespace stepscope {
namespace {

constexpr SayFrom<kToolsTexts> Say;

template <typename T>
bool Load(std::string_view bytes, uint64_t at, T& value) {
  if (at > bytes.size() || bytes.size() - at < sizeof value) return false;
  std::memcpy(&value, bytes.data() + at, sizeof value);
  return true;
}

std::string_view Part(std::string_view bytes, uint64_t at, uint64_t size) {
  if (at > bytes.size()) return {};
  return bytes.substr(at, size);
}

}  // namespace

Result<ElfFile> ElfFile::Parse(std::string_view bytes) {
  Elf64_Ehdr header{};
  const bool is_elf = Load(bytes, 0, header) && std::memcmp(header.e_ident, ELFMAG, SELFMAG) == 0 &&
                      header.e_ident[EI_CLASS] == ELFCLASS64 &&
                      header.e_ident[EI_DATA] == ELFDATA2LSB;
  if (!is_elf) return Fail(ErrorCode::kUnsupported, Say("doctor.no-elf"));
  std::vector<Elf64_Shdr> table;
  for (uint64_t i = 0; i < header.e_shnum; ++i) {
    Elf64_Shdr section{};
    if (!Load(bytes, header.e_shoff + i * sizeof section, section)) break;
    table.push_back(section);
  }
  ElfFile file;
  std::string_view names;
  if (header.e_shstrndx < table.size()) {
    const Elf64_Shdr& section = table[header.e_shstrndx];
    names = Part(bytes, section.sh_offset, section.sh_size);
  }
  for (const Elf64_Shdr& section : table) {
    std::string_view name = Part(names, section.sh_name, names.size());
    name = name.substr(0, name.find('\0'));
    const bool stored = section.sh_type != SHT_NOBITS;
    file.sections_.push_back(
        {name, stored ? Part(bytes, section.sh_offset, section.sh_size) : std::string_view{}});
  }
  return file;
}

Result<ElfFile> ElfFile::Open(const std::string& path) {
  const int descriptor = open(path.c_str(), O_RDONLY | O_CLOEXEC);
  struct stat status{};
  if (descriptor < 0 || fstat(descriptor, &status) != 0 || status.st_size == 0) {
    const int reason = errno;
    if (descriptor >= 0) close(descriptor);
    return Fail(ErrorCode::kCannotRead, Say("doctor.cannot-open-why", SystemReason(reason)), path);
  }
  const auto size = static_cast<size_t>(status.st_size);
  void* mapped = mmap(nullptr, size, PROT_READ, MAP_PRIVATE, descriptor, 0);
  close(descriptor);
  if (mapped == MAP_FAILED) return Fail(ErrorCode::kCannotRead, Say("doctor.cannot-map"), path);
  std::shared_ptr<const void> mapping(
      mapped, [size](const void* at) { munmap(const_cast<void*>(at), size); });
  Result<ElfFile> file = Parse({static_cast<const char*>(mapped), size});
  if (file) file->mapping_ = std::move(mapping);
  if (!file) file.error().file = path;
  return file;
}

std::string_view ElfFile::SectionNamed(std::string_view name) const {
  for (const Section& section : sections_) {
    if (section.name == name) return section.bytes;
  }
  return {};
}

}  // namespace stepscope
