#include "opened_profile.h"

#include <algorithm>

#include "advise/advise.h"
#include "base/task_pool.h"
#include "serve/profile_graph.h"

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
    advice_ = AdviseAll(profile_, reports(), settings_, pool, GraphsBeside(read_paths_, profile_));
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

const std::string& OpenedProfile::ReadPathOf(const Trace& trace) const {
  const auto given = std::ranges::find(profile_.paths, trace.path);
  const auto place = static_cast<size_t>(given - profile_.paths.begin());
  return place < read_paths_.size() ? read_paths_[place] : trace.path;
}

std::vector<uint32_t> OpenedProfile::SlicesOf(size_t trace,
                                              const std::vector<uint32_t>& events) const {
  const std::vector<uint32_t>& column = profile_.traces.at(trace).slices.event;
  const uint32_t last = events.empty() ? 0 : *std::max_element(events.begin(), events.end());
  std::vector<bool> wanted(size_t{last} + 1);
  for (const uint32_t event : events) wanted[event] = true;
  std::vector<uint32_t> rows;
  for (uint32_t row = 0; row < column.size(); ++row) {
    if (column[row] <= last && wanted[column[row]]) rows.push_back(row);
  }
  return rows;
}

}  // namespace stepscope::python
