#include "base/testing/data.h"

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <stdexcept>

namespace stepscope {
namespace {

namespace fs = std::filesystem;

std::string Existing(const std::string& path) {
  if (!fs::exists(path)) throw std::runtime_error("test data is missing: " + path);
  return path;
}

}  // namespace

std::string SourceFile(const std::string& path) {
  return Existing(std::string(STEPSCOPE_SOURCE_DIR "/") + path);
}

std::string Example(const std::string& name) { return SourceFile("examples/" + name); }

std::string TestData(const std::string& path) {
  const std::string unpacked = std::string(STEPSCOPE_UNPACKED_DATA "/") + path;
  return fs::exists(unpacked) ? unpacked : SourceFile("tests/data/" + path);
}

std::string AcceptanceData(const std::string& path) {
  const char* folder = std::getenv("STEPSCOPE_DATA");
  if (folder == nullptr) {
    throw std::runtime_error("STEPSCOPE_DATA is not set: run make acceptance DATA=dir");
  }
  return Existing(std::string(folder) + "/" + path);
}

std::vector<std::string> FilesBelow(const std::string& folder) {
  std::vector<std::string> files;
  for (const auto& entry : fs::recursive_directory_iterator(folder)) {
    if (entry.is_regular_file()) files.push_back(entry.path().string());
  }
  std::sort(files.begin(), files.end());
  return files;
}

}  // namespace stepscope
