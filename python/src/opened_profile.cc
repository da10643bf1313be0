#include "opened_profile.h"

#include "advise/advise.h"
#include "advise/thresholds.h"
#include "base/task_pool.h"

namespace stepscope::python {

const std::vector<Report>& OpenedProfile::reports() {
  std::call_once(analysed_, [this] {
    TaskPool pool(threads_);
    for (size_t i = 0; i < profile_.traces.size(); ++i) {
      reports_.push_back(Analyze(profile_.traces[i], profile_.diagnostics[i], {}, pool));
    }
  });
  return reports_;
}

const std::vector<Advice>& OpenedProfile::advice() {
  std::call_once(advised_, [this] {
    TaskPool pool(threads_);
    advice_ = AdviseAll(profile_, reports(), Limits(), pool);
  });
  return advice_;
}

std::vector<Reported> OpenedProfile::Everything() {
  std::vector<Reported> all;
  for (size_t i = 0; i < profile_.traces.size(); ++i) {
    all.push_back({&profile_.traces[i], &reports()[i], &advice()[i]});
  }
  return all;
}

}  // namespace stepscope::python
