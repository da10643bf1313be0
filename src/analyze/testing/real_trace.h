#pragma once

#include <gtest/gtest.h>

#include <filesystem>
#include <string>
#include <utility>

#include "analyze/report.h"
#include "base/task_pool.h"
#include "base/testing/json.h"
#include "read/open.h"

// Reports of real profiles of the shared folder, for tests that compare with other tools' answers.
namespace stepscope {

inline std::string SharedData(const std::string& path) {
  return std::string(STEPSCOPE_SOURCE_DIR) + "/../shared/data/" + path;
}

// Leaves the test, loudly, where the file is not on this machine.
#define SKIP_WITHOUT(path)                                                        \
  if (!std::filesystem::exists(SharedData(path))) {                               \
    GTEST_SKIP() << "SKIPPED: " << SharedData(path) << " is not on this machine"; \
  }

struct RealReport {
  Profile profile;
  Report report;

  const Trace& trace() const { return profile.traces.front(); }
  std::string_view Name(StringId id) const { return trace().strings[id]; }
  std::string DeviceName(int32_t device) const {
    const Device& known = trace().devices[static_cast<size_t>(device)];
    return DeviceIdOf(known.type, known.index);
  }
};

inline RealReport ReportOf(const std::string& path, unsigned threads = 2,
                           const ReportOptions& options = {}) {
  TaskPool pool(threads);
  Result<Profile> profile = OpenProfile({SharedData(path)}, {}, pool);
  if (!profile) throw std::runtime_error(path + ": " + profile.error().sentence);
  RealReport result{std::move(*profile), {}};
  result.report = Analyze(result.trace(), result.profile.diagnostics.front(), options, pool);
  return result;
}

}  // namespace stepscope
