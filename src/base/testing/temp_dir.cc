#include "base/testing/temp_dir.h"

#include <cerrno>
#include <cstdlib>
#include <filesystem>
#include <system_error>

namespace stepscope {

TempDir::TempDir()
    : path_((std::filesystem::temp_directory_path() / "stepscope-test-XXXXXX").string()) {
  if (mkdtemp(path_.data()) == nullptr) {
    throw std::system_error(errno, std::generic_category(), "cannot make " + path_);
  }
}

TempDir::~TempDir() {
  std::error_code ignored;  // a folder that is left behind fails no test
  std::filesystem::remove_all(path_, ignored);
}

}  // namespace stepscope
