#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"

namespace stepscope {

// The sections of a 64-bit little-endian ELF file, mapped: only what is looked at is read.
class ElfFile {
 public:
  struct Section {
    std::string_view name;
    std::string_view bytes;
  };

  static Result<ElfFile> Open(const std::string& path);
  // `bytes` must outlive the result.
  static Result<ElfFile> Parse(std::string_view bytes);

  const std::vector<Section>& sections() const { return sections_; }
  // Empty where there is none.
  std::string_view SectionNamed(std::string_view name) const;

 private:
  std::shared_ptr<const void> mapping_;
  std::vector<Section> sections_;
};

}  // namespace stepscope
