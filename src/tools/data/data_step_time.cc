#include "tools/data/data_step_time.h"

#include <algorithm>
#include <memory>
#include <vector>

#include "link/linked_trace.h"
#include "study/study.h"
#include "words/data.h"
#include "words/tools.h"

namespace stepscope {

namespace {

constexpr SayFrom<kToolsTexts, kDataTexts> Say;

}  // namespace

Result<StepTime> StepTimeOf(const std::string& path, unsigned threads) {
  const Result<std::unique_ptr<Study>> study = Study::Open({path}, {.threads = threads});
  if (!study) return std::unexpected(study.error());
  std::vector<int64_t> durations;
  for (size_t t = 0; t < (*study)->size(); ++t) {
    for (const Step& step : (*study)->linked(t).steps.items) {
      if (step.used()) durations.push_back(step.duration.ns);
    }
  }
  if (durations.empty()) {
    return Fail(ErrorCode::kUnsupported, Say("data.no-steps"), path, Say("data.give-step-ms"));
  }
  const auto middle = durations.begin() + static_cast<ptrdiff_t>(durations.size() / 2);
  std::ranges::nth_element(durations, middle);
  return StepTime{static_cast<double>(*middle) / 1e9,
                  Say("data.median-of", durations.size(), path)};
}

}  // namespace stepscope
