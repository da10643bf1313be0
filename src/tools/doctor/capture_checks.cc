#include <fmt/format.h>

#include "capture/processes/capturable.h"
#include "tools/doctor/doctor.h"
#include "words/doctor.h"

namespace stepscope {
namespace {

constexpr SayFrom<kDoctorTexts> Say;

}  // namespace

// One line per process that uses a framework; none where there is no such process.
std::vector<Check> CheckCaptures(const CapturableList& list) {
  std::vector<Check> checks;
  for (const Capturable& process : list.processes) {
    const bool can = !process.target.empty();
    checks.push_back(
        {.area = "capture",
         .status = can ? CheckStatus::kFine : CheckStatus::kNote,
         .sentence =
             can ? Say("doctor.can-capture", process.pid, process.framework, process.target)
                 : Say("doctor.cannot-capture", process.pid, process.framework, process.missing),
         .fix = process.fix});
  }
  return checks;
}

}  // namespace stepscope
