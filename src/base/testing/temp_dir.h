#pragma once

#include <string>

namespace stepscope {

// A folder of its own for one test, gone with the object. Tests that run side by side, and two
// suites on one machine, never meet in one.
class TempDir {
 public:
  TempDir();
  ~TempDir();
  TempDir(const TempDir&) = delete;
  TempDir& operator=(const TempDir&) = delete;

  const std::string& path() const { return path_; }
  // The path of a file in it.
  std::string operator/(const std::string& name) const { return path_ + "/" + name; }

 private:
  std::string path_;
};

}  // namespace stepscope
