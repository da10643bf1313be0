#pragma once

#include <string>

#include "base/result.h"

namespace stepscope {

// The Python files of the hook, which the program carries inside, in a private folder of the
// temporary directory that goes away with this object.
class HookFolder {
 public:
  static Result<HookFolder> Make();
  ~HookFolder();
  HookFolder(HookFolder&& other) noexcept;
  HookFolder& operator=(HookFolder&&) = delete;

  const std::string& path() const { return path_; }

 private:
  HookFolder() = default;
  std::string path_;
};

}  // namespace stepscope
