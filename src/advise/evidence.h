#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "advise/finding.h"
#include "advise/given.h"
#include "advise/thresholds.h"
#include "analyze/report.h"
#include "analyze/whatif/replay.h"
#include "base/intervals.h"
#include "base/task_pool.h"
#include "trace/name_tags.h"
#include "trace/trace.h"

namespace stepscope {

enum class Framework : uint8_t { kPyTorch, kTensorFlow, kJax, kOnnxRuntime, kOther };

// What happened under one name inside used steps.
struct NameTotal {
  uint64_t calls = 0;
  DurationNs host{};      // of host spans of this name, every call
  DurationNs device{};    // of device work of this name
  DurationNs launched{};  // device time of work whose innermost op has this name
  uint64_t launches = 0;  // pieces of such work
};

// A stretch that rules judge: a used step, or the whole profile where it has no steps.
struct Window {
  Interval time;
  Interval host;           // the step's marker
  uint32_t step = kNoRow;  // index into Steps::items
};

// A span inside a window.
struct StepSpan {
  uint32_t slice = 0;
  uint32_t window = 0;
};

// Everything that rules may look at, computed once in a few passes over the columns. Sums are over
// used steps; divide by step_count() for "per step". Owned by the caller, const for rules.
class Evidence {
 public:
  Evidence(const LinkedTrace& the_trace, const Report& the_report, const Limits& the_limits,
           TaskPool& pool);

  // ---- the profile
  const LinkedTrace& linked;
  const Trace& trace;
  const Report& report;
  const Limits& limits;
  Framework framework = Framework::kOther;

  // ---- beside the profile
  const MachineFacts* machine = nullptr;
  const LogFacts* log = nullptr;
  const DatasetFacts* dataset = nullptr;
  const RunRates* rates = nullptr;
  const JobFacts* job = nullptr;
  const GraphDef* graph = nullptr;
  // All ranks, this one among them, when several were given; and which one it is.
  std::vector<const RankCollectives*> ranks;
  size_t own_rank = 0;
  // Points at what was given, which has to stay.
  void Use(const Given& given);

  // ---- steps
  uint32_t step_count() const { return static_cast<uint32_t>(windows_.size()); }
  std::span<const Window> windows() const { return windows_; }
  DurationNs step() const { return median_; }                  // median of the used steps
  DurationNs step_deviation() const { return deviation_; }     // median absolute deviation
  const IntervalSet& step_time() const { return step_time_; }  // the used steps
  bool has_steps() const { return windows_.front().step != kNoRow; }
  // The median step without the profiler, where that is known; else step().
  DurationNs real_step() const { return real_step_; }
  // Whether the two differ by so much that people should know which one is meant.
  bool profiler_matters() const { return ProfilerMatters(median_, real_step_); }
  // Of the median step.
  double Share(DurationNs per_step) const;
  // Of the step without the profiler.
  double RealShare(DurationNs per_step) const;
  DurationNs PerStep(DurationNs total) const;
  // Whether the time is at least one percent of the step and more than the error of its mean.
  bool WorthSaying(DurationNs per_step) const;
  // Length of the set inside used steps, per step.
  DurationNs PerStep(const IntervalSet& set) const { return PerStep(step_time_.OverlapWith(set)); }

  // ---- the device that works most
  bool has_device_work() const { return device_ >= 0; }
  int32_t device() const { return device_; }  // index into Trace::devices
  std::string device_name() const;            // "gpu:0"
  const Device* device_facts() const;
  const IntervalSet& busy() const { return sets_->busy; }  // all its work
  DurationNs busy_time() const { return PerStep(busy_in_steps_); }
  const IntervalSet& compute() const { return sets_->compute; }  // kernels that do not communicate
  double utilization() const;          // compute and communication kernels over step time
  DurationNs Idle(Cause cause) const;  // per step
  // The part of these device slices in which no compute kernel runs, inside used steps, per step.
  DurationNs Exposed(std::span<const StepSpan> device_work) const;
  // Idle time of the device from `time` until its next work; 0 if it is busy at that time.
  DurationNs IdleAfter(TimeNs time) const;

  // ---- spans inside used steps, by slice
  std::span<const StepSpan> kernels() const { return kernels_; }
  std::span<const StepSpan> collectives() const { return collectives_; }
  std::span<const StepSpan> copies() const { return copies_; }
  std::span<const StepSpan> sync_calls() const { return sync_calls_; }
  std::span<const StepSpan> alloc_calls() const { return alloc_calls_; }
  std::span<const StepSpan> launch_calls() const { return launch_calls_; }
  std::span<const StepSpan> input_spans() const { return input_spans_; }
  std::span<const StepSpan> compile_spans() const { return compile_spans_; }
  std::span<const StepSpan> overhead_spans() const { return overhead_spans_; }
  std::span<const StepSpan> optimizer_spans() const { return optimizer_spans_; }

  // ---- names
  const NameTotal& Total(StringId name) const { return totals_[Index(name)]; }
  const NameTags& Tags(StringId name) const { return tags_[Index(name)]; }
  const NameTags& TagsOfSpan(const StepSpan& span) const {
    return Tags(trace.slices.name[span.slice]);
  }
  NameTotal Sum(NameTag tag) const;
  bool Occurs(NameTag tag) const { return Sum(tag).calls > 0; }
  // The spans whose name has the tag.
  std::vector<StepSpan> With(std::span<const StepSpan> spans, NameTag tag) const;
  // Host spans with the tag inside windows, by slice.
  std::vector<StepSpan> HostSpans(NameTag tag) const;
  std::string_view Name(StringId name) const { return trace.strings[name]; }
  // Sum over all names for which the predicate holds.
  NameTotal Sum(const std::function<bool(std::string_view, const NameTotal&)>& wanted) const;
  // Names that occur in used steps.
  std::span<const StringId> names() const { return names_; }

  // ---- evidence items
  EvidenceItem Item(const StepSpan& span) const;
  // The longest few of the spans, as evidence.
  std::vector<EvidenceItem> Longest(std::span<const StepSpan> spans, size_t count = 3) const;

 private:
  void IndexSteps();
  void IndexHostSpans();
  void PickDevice();
  // Totals of device work go to a table of their own: host spans are indexed at the same time.
  void IndexDeviceWork(std::vector<NameTotal>& totals, std::vector<StringId>& names);
  void AddTotals(const std::vector<NameTotal>& totals, const std::vector<StringId>& names);
  // The uses of a host name, decided when it is first seen.
  uint8_t ClassifyName(StringId name);
  void Classify(const StepSpan& span);

  std::vector<Window> windows_;  // never empty
  DurationNs median_{};
  DurationNs real_step_{};
  DurationNs deviation_{};
  IntervalSet step_time_;
  int32_t device_ = -1;
  const DeviceBusy* sets_;  // of the report; empty ones where there is no device
  DurationNs busy_in_steps_{};
  std::vector<StepSpan> kernels_, collectives_, copies_, sync_calls_, alloc_calls_, launch_calls_,
      input_spans_, compile_spans_, overhead_spans_, optimizer_spans_;
  std::vector<NameTotal> totals_;
  std::vector<NameTags> tags_;
  std::vector<StringId> names_;
  std::vector<uint8_t> name_class_;            // by name: see ClassifyName
  std::vector<uint32_t> list_of_name_;         // by name: its list below, or kNoRow
  std::vector<std::vector<StepSpan>> tagged_;  // host spans of each name that has a tag
};

}  // namespace stepscope
