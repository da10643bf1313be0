#pragma once

#include <string>
#include <utility>
#include <vector>

#include "base/testing/data.h"
#include "read/open.h"
#include "trace/trace.h"

namespace stepscope {

// The Kineto traces among the project's own recordings, and among those of other projects.
inline std::vector<std::string> KinetoFilesIn(const std::vector<std::string>& folders) {
  std::vector<std::string> traces;
  for (const std::string& folder : folders) {
    for (const std::string& file : FilesBelow(folder)) {
      const bool json = file.ends_with(".json.gz") || file.ends_with(".json.zst");
      if (json && !file.contains("execution_trace")) traces.push_back(file);
    }
  }
  return traces;
}
inline std::vector<std::string> OwnKinetoFiles() {
  return KinetoFilesIn({SourceFile("examples"), TestData("h200"), TestData("rules")});
}
inline std::vector<std::string> KinetoFilesOfOthers() {
  return KinetoFilesIn(
      {AcceptanceData("tb_plugin"), AcceptanceData("hta"), AcceptanceData("tracelens")});
}

// The first trace of a file; an empty one when it cannot be read.
inline Trace OpenReal(const std::string& path) {
  TaskPool pool(2);
  auto profile = OpenProfile({path}, {}, pool);
  if (!profile || profile->traces.empty()) return {};
  return std::move(profile->traces[0]);
}

}  // namespace stepscope
