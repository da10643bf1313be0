#include <fmt/format.h>

#include "capture/processes/capturable.h"
#include "tools/doctor/doctor.h"

namespace stepscope {

// One line per process that uses a framework; none where there is no such process.
std::vector<Check> CheckCaptures(const CapturableList& list) {
  std::vector<Check> checks;
  for (const Capturable& process : list.processes) {
    const bool can = !process.target.empty();
    checks.push_back(
        {.area = "capture",
         .status = can ? CheckStatus::kFine : CheckStatus::kNote,
         .sentence = fmt::format("Process {} ({}) {}", process.pid, process.framework,
                                 can ? "can be captured: stepscope capture " + process.target
                                     : "cannot be captured: " + process.missing),
         .fix = process.fix});
  }
  return checks;
}

}  // namespace stepscope
