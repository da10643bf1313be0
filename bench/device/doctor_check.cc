// Prints the architectures in the fat binaries of these libraries, as stepscope doctor judges them,
// in the words and the order of torch.cuda.get_arch_list(); the counts go to standard error.

#include <algorithm>
#include <cstdio>
#include <string>
#include <vector>

#include "tools/doctor/machine/elf_file.h"
#include "tools/doctor/machine/fat_binary.h"

int main(int argc, char** argv) {
  using namespace stepscope;
  GpuCode all;
  for (int i = 1; i < argc; ++i) {
    const Result<ElfFile> elf = ElfFile::Open(argv[i]);
    if (!elf) continue;
    GpuCode code = ParseFatBinaries(elf->SectionNamed(".nv_fatbin"));
    code.Merge(ParseFatBinaries(elf->SectionNamed("__nv_relfatbin")));
    std::fprintf(stderr, "%s: %llu fat binaries, %llu damaged:", argv[i],
                 static_cast<unsigned long long>(code.fat_binaries),
                 static_cast<unsigned long long>(code.damaged));
    for (const auto& [architecture, count] : code.sass) {
      std::fprintf(stderr, " sm_%u x%llu", architecture, static_cast<unsigned long long>(count));
    }
    for (const auto& [architecture, count] : code.ptx) {
      std::fprintf(stderr, " compute_%u x%llu", architecture,
                   static_cast<unsigned long long>(count));
    }
    std::fprintf(stderr, "\n");
    all.Merge(code);
  }
  const BuiltFor built = BuiltForOf(all);
  std::vector<std::string> names;
  for (const uint32_t one : built.ptx) names.push_back("compute_" + std::to_string(one));
  for (const uint32_t one : built.sass) names.push_back("sm_" + std::to_string(one));
  std::sort(names.begin(), names.end());
  for (size_t i = 0; i < names.size(); ++i) {
    std::printf("%s%s", i == 0 ? "" : " ", names[i].c_str());
  }
  std::printf("\n");
  return 0;
}
