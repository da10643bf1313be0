#pragma once

#include <string>
#include <string_view>

#include "base/result.h"

namespace stepscope::python {

// Bytes as a file that has no name but a path, for readers that take paths. Gone with the object.
class MemoryFile {
 public:
  static Result<MemoryFile> Of(std::string_view bytes);
  MemoryFile(MemoryFile&& other) noexcept;
  MemoryFile& operator=(MemoryFile&&) = delete;
  ~MemoryFile();

  std::string path() const;

 private:
  explicit MemoryFile(int descriptor) : descriptor_(descriptor) {}
  int descriptor_;
};

}  // namespace stepscope::python
