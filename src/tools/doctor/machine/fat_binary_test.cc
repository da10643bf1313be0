#include "tools/doctor/machine/fat_binary.h"

#include <elf.h>
#include <gtest/gtest.h>

#include <cstring>
#include <random>

#include "tools/doctor/machine/elf_file.h"

namespace stepscope {
namespace {

template <typename T>
void Put(std::string& out, size_t at, T value) {
  std::memcpy(out.data() + at, &value, sizeof value);
}

// An entry as CUDA writes it: 64 bytes of header, then the code.
std::string Entry(uint16_t kind, uint32_t architecture, size_t payload) {
  std::string entry(64 + payload, 'c');
  std::fill_n(entry.begin(), 64, '\0');
  Put<uint16_t>(entry, 0, kind);
  Put<uint16_t>(entry, 2, 0x101);
  Put<uint32_t>(entry, 4, 64);
  Put<uint64_t>(entry, 8, payload);
  Put<uint32_t>(entry, 28, architecture);
  return entry;
}
std::string FatBinary(const std::string& entries) {
  std::string binary(16, '\0');
  Put<uint32_t>(binary, 0, 0xba55ed50);
  Put<uint16_t>(binary, 4, 1);
  Put<uint16_t>(binary, 6, 16);
  Put<uint64_t>(binary, 8, entries.size());
  return binary + entries;
}
constexpr uint16_t kPtx = 1;
constexpr uint16_t kSass = 2;

TEST(FatBinary, CountsArchitecturesByFatBinary) {
  std::string section;
  for (int i = 0; i < 4; ++i) {
    section += FatBinary(Entry(kSass, 80, 40) + Entry(kSass, 90, 80) + Entry(kPtx, 90, 16));
    section += std::string(8, '\0');  // padding between them
  }
  section += FatBinary(Entry(kSass, 80, 8) + Entry(kSass, 100, 8));
  const GpuCode code = ParseFatBinaries(section);
  EXPECT_EQ(code.fat_binaries, 5u);
  EXPECT_EQ(code.damaged, 0u);
  EXPECT_EQ(code.sass, (std::map<uint32_t, uint64_t>{{80, 5}, {90, 4}, {100, 1}}));
  EXPECT_EQ(code.ptx, (std::map<uint32_t, uint64_t>{{90, 4}}));
  const BuiltFor built = BuiltForOf(code);
  EXPECT_EQ(built.sass, (std::vector<uint32_t>{80, 90}));
  EXPECT_EQ(built.ptx, (std::vector<uint32_t>{90}));
  EXPECT_EQ(built.some_sass, (std::vector<uint32_t>{100}));
}

TEST(FatBinary, SurvivesCutsAndMutations) {
  const std::string section =
      FatBinary(Entry(kSass, 80, 40) + Entry(kPtx, 90, 24)) + FatBinary(Entry(kSass, 90, 8));
  for (size_t cut = 0; cut < section.size(); ++cut) {
    const GpuCode code = ParseFatBinaries(std::string_view(section).substr(0, cut));
    EXPECT_LE(code.fat_binaries, 2u);
  }
  std::mt19937 random(3);
  for (int round = 0; round < 1000; ++round) {
    std::string bad = section;
    for (int i = 0; i < 3; ++i) bad[random() % bad.size()] = static_cast<char>(random());
    ParseFatBinaries(bad);
  }
}

std::string ElfWith(const std::string& name, const std::string& content) {
  const std::string names = std::string("\0.shstrtab\0", 11) + name + '\0';
  Elf64_Ehdr header{};
  std::memcpy(header.e_ident, ELFMAG, SELFMAG);
  header.e_ident[EI_CLASS] = ELFCLASS64;
  header.e_ident[EI_DATA] = ELFDATA2LSB;
  header.e_shnum = 3;
  header.e_shstrndx = 1;
  header.e_shoff = sizeof header + names.size() + content.size();
  Elf64_Shdr sections[3]{};
  sections[1].sh_name = 1;
  sections[1].sh_type = SHT_STRTAB;
  sections[1].sh_offset = sizeof header;
  sections[1].sh_size = names.size();
  sections[2].sh_name = 11;
  sections[2].sh_type = SHT_PROGBITS;
  sections[2].sh_offset = sizeof header + names.size();
  sections[2].sh_size = content.size();
  return std::string(reinterpret_cast<const char*>(&header), sizeof header) + names + content +
         std::string(reinterpret_cast<const char*>(sections), sizeof sections);
}

TEST(ElfFile, FindsSectionsAndSurvivesEveryCut) {
  const std::string file = ElfWith(".nv_fatbin", FatBinary(Entry(kSass, 75, 8)));
  const auto elf = ElfFile::Parse(file);
  ASSERT_TRUE(elf);
  EXPECT_EQ(ParseFatBinaries(elf->SectionNamed(".nv_fatbin")).sass.at(75), 1u);
  EXPECT_TRUE(elf->SectionNamed(".text").empty());
  for (size_t cut = 0; cut < file.size(); ++cut) {
    (void)ElfFile::Parse(std::string_view(file).substr(0, cut));
  }
  EXPECT_FALSE(ElfFile::Parse("no ELF"));
  std::mt19937 random(4);
  for (int round = 0; round < 1000; ++round) {
    std::string bad = file;
    for (int i = 0; i < 3; ++i) bad[random() % bad.size()] = static_cast<char>(random());
    const auto parsed = ElfFile::Parse(bad);
    if (parsed) ParseFatBinaries(parsed->SectionNamed(".nv_fatbin"));
  }
}

}  // namespace
}  // namespace stepscope
