#pragma once

#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "advise/finding.h"
#include "analyze/report.h"
#include "base/result.h"
#include "present/report_json.h"
#include "read/open.h"

namespace stepscope::python {

// A profile that was read, and what was worked out from it: each part once, when it is first asked
// for. Safe to use from many threads at once. Tables borrow from it through shared pointers.
class OpenedProfile {
 public:
  OpenedProfile(Profile profile, unsigned threads)
      : profile_(std::move(profile)), threads_(threads) {}

  const Profile& profile() const { return profile_; }
  unsigned threads() const { return threads_; }
  // One a trace. The first call analyses.
  const std::vector<Report>& reports();
  const std::vector<Advice>& advice();
  // Both, as what is shown of every trace.
  std::vector<Reported> Everything();

 private:
  const Profile profile_;
  const unsigned threads_;
  std::once_flag analysed_, advised_;
  std::vector<Report> reports_;
  std::vector<Advice> advice_;
};

}  // namespace stepscope::python
