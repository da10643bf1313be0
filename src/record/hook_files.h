#pragma once

#include <string>

#include "base/result.h"

namespace stepscope {

// The Python files of the hook and the library for CUDA programs, which Stepscope carries inside,
// in a private folder of the temporary directory that goes away with this object.
class HookFolder {
 public:
  static Result<HookFolder> Make();
  ~HookFolder();
  HookFolder(HookFolder&& other) noexcept;
  HookFolder& operator=(HookFolder&&) = delete;

  const std::string& path() const { return path_; }
  const std::string& library() const { return library_; }  // empty: it could not be written

 private:
  HookFolder() = default;
  std::string path_, library_;
};

}  // namespace stepscope
