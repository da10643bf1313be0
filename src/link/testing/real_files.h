#pragma once

#include <algorithm>
#include <filesystem>
#include <string>
#include <utility>
#include <vector>

#include "read/open.h"
#include "trace/trace.h"

namespace stepscope {

// Profiles beside the checkout that are not part of it. Tests skip themselves, loudly, where they
// are missing.
inline std::filesystem::path RealFiles() { return STEPSCOPE_SOURCE_DIR "/../shared/data"; }
inline bool HasRealFiles() { return std::filesystem::exists(RealFiles() / "h200"); }

// All Kineto traces among them, by path.
inline std::vector<std::filesystem::path> RealKinetoFiles() {
  std::vector<std::filesystem::path> files;
  for (const auto* folder : {"h200", "rules", "tb_plugin", "hta", "tracelens"}) {
    if (!std::filesystem::exists(RealFiles() / folder)) continue;
    for (const auto& entry : std::filesystem::recursive_directory_iterator(RealFiles() / folder)) {
      const std::string name = entry.path().filename();
      if (name.ends_with(".json.gz") && !name.contains("execution_trace")) {
        files.push_back(entry.path());
      }
    }
  }
  std::sort(files.begin(), files.end());
  return files;
}

// The first trace of a file; an empty one when it cannot be read.
inline Trace OpenReal(const std::filesystem::path& path) {
  TaskPool pool(2);
  auto profile = OpenProfile({path.string()}, {}, pool);
  if (!profile || profile->traces.empty()) return {};
  return std::move(profile->traces[0]);
}

}  // namespace stepscope
