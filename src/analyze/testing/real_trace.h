#pragma once

#include <gtest/gtest.h>

#include <string>
#include <utility>

#include "analyze/report.h"
#include "base/task_pool.h"
#include "base/testing/data.h"
#include "base/testing/json.h"
#include "read/open.h"

// Reports of real profiles, for tests that compare with other tools' answers.
namespace stepscope {

struct RealReport {
  Profile profile;
  LinkedTrace linked;
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
  Result<Profile> profile = OpenProfile({path}, {}, pool);
  if (!profile) throw std::runtime_error(path + ": " + InEnglish(profile.error().sentence));
  LinkedTrace linked = LinkTrace(profile->traces.front(), options.steps, pool);
  Report report = Analyze(linked, profile->diagnostics.front(), options, pool);
  return {std::move(*profile), std::move(linked), std::move(report)};
}

}  // namespace stepscope
