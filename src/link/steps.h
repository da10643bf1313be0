#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "base/diagnostics.h"
#include "base/ids.h"
#include "base/time.h"
#include "link/links.h"
#include "trace/trace.h"

namespace stepscope {

enum class StepSource : uint8_t {
  kNone,
  kProfilerStep,
  kStepTraceAnnotation,
  kTfProfilerTrace,
  kSessionRun,
  kAnnotation,
  kDeviceSteps,
  kRepetition
};

enum class WhyUnused : uint8_t { kUsed, kWarmup, kCut, kNoDeviceWork, kNotSelected };

struct Step {
  std::string name;  // "ProfilerStep#5"
  int64_t number = 0;
  SliceId marker = kNoSlice;
  TimeNs host_start;  // the marker itself
  DurationNs host_duration;
  TimeNs start;  // the interval all else refers to; steps never overlap
  DurationNs duration;
  WhyUnused why_unused = WhyUnused::kUsed;
  bool used() const { return why_unused == WhyUnused::kUsed; }
  TimeNs end() const { return start + duration; }
};

// Steps by number, both ends included; an end that is not given is open.
struct StepRange {
  std::optional<int64_t> first, last;

  bool Contains(int64_t number) const {
    return !(first && number < *first) && !(last && number > *last);
  }
};

struct Steps {
  StepSource source = StepSource::kNone;
  std::string
      source_name;  // as the contract spells it: "ProfilerStep", "annotation NAME", "repetition" …
  double confidence = 1;    // of kRepetition: share of the period's events that recur
  std::vector<Step> items;  // by start
  // By row of Trace::device_args: index into items of the step that launched it, or kNoRow.
  std::vector<uint32_t> step_of_device;
};

// Steps from markers, else from what the launching thread repeats, else one window (items empty,
// source kNone). Definitions: docs/report.md.
Steps FindSteps(const Trace& trace, const Links& links, Diagnostics& diagnostics);

}  // namespace stepscope
