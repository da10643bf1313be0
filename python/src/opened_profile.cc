#include "opened_profile.h"

#include <algorithm>

namespace stepscope::python {

std::vector<uint32_t> OpenedProfile::SlicesOf(size_t trace,
                                              const std::vector<uint32_t>& events) const {
  const std::vector<uint32_t>& column = profile().traces.at(trace).slices.event;
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
