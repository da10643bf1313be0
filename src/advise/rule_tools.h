#pragma once

#include <span>
#include <string>
#include <vector>

#include "advise/evidence.h"
#include "advise/rule.h"

// Small functions that many rules share.
namespace stepscope {

// What to record or give so that a rule can tell.
CannotTell NeedsMachine();
CannotTell NeedsLog();
CannotTell NeedsGraph();
CannotTell NeedsMemory();
CannotTell NeedsMemorySize();
CannotTell NeedsGpuModel();
CannotTell NeedsDataset();
CannotTell NeedsRanks();
CannotTell NeedsSteps();

Message LogSays(std::string_view line);

// The TORCH_TRACE log of the rank that compiled longest; null where none was given.
const CompileLog* SlowestCompileLog(const Evidence& evidence);
// As many as a finding names.
std::span<const CompileLog::Cause> FirstCauses(std::span<const CompileLog::Cause> causes);

inline std::vector<Change> ChangesOf(std::span<const StepSpan> spans, ChangeType type,
                                     double factor = 0) {
  std::vector<Change> changes;
  for (const StepSpan& span : spans) changes.push_back({SliceId{span.slice}, type, factor});
  return changes;
}

// How long a step waits for its input, and whether that is worth a finding.
inline DurationNs InputWait(const Evidence& e) { return e.Idle(Cause::kInput); }
inline bool InputBound(const Evidence& e) {
  return e.Share(InputWait(e)) >= e.limits[Limit::kInputModerate];
}

// Sum of durations of spans, per step.
DurationNs TimeOf(const Evidence& evidence, std::span<const StepSpan> spans);
// Union of the spans (on whatever track), per step.
DurationNs UnionOf(const Evidence& evidence, std::span<const StepSpan> spans);
// By name (StringId): what ops of host threads do outside of the ops inside them, in used steps.
std::vector<DurationNs> OwnTimeOfOps(const Evidence& evidence);
// The part of host spans in which the device runs no compute kernel, per step. Without a device:
// the union.
DurationNs ExposedHost(const Evidence& evidence, std::span<const StepSpan> spans);
// Only spans that are not inside another one of the list on their track.
std::vector<StepSpan> Outermost(const Evidence& evidence, std::span<const StepSpan> spans);
// For each span the outermost slice around it whose name has the tag, or itself; each once.
std::vector<StepSpan> OutermostTagged(const Evidence& evidence, std::span<const StepSpan> spans,
                                      NameTag tag);
// True when an ancestor of the slice has the tag.
bool IsUnder(const Evidence& evidence, uint32_t slice, NameTag tag);
// Whether a collective on the host (gloo, MPI) makes the copy, to send or to take what it moves.
bool OfCollective(const Evidence& evidence, const StepSpan& copy);
// The tags of spans together with those of all spans around them. Neighbours share most of what is
// around them, so that asking in the order of a thread costs little.
class TagsAround {
 public:
  explicit TagsAround(const Evidence& evidence) : evidence_(evidence) {}
  // Of no span: none.
  NameTags Of(SliceId slice);

 private:
  struct Level {
    uint32_t slice = 0;
    NameTags tags;  // its own and of all around it
  };
  const Evidence& evidence_;
  std::vector<Level> levels_;  // around the last one asked for, outermost first
  std::vector<uint32_t> fresh_;
};
// A Python call that the input pipeline makes: below one of its functions or on one of its threads.
bool IsInInput(const Evidence& evidence, uint32_t slice);
// What several findings say: "3.1 ms of each 20.0 ms step (16 %)". A mean that outliers make longer
// than the median step is said to be one; a profile without steps is taken as a whole.
Message OfEachStep(const Evidence& evidence, DurationNs per_step);
// What happens now and then and costs so much each time, per step: how often it happens is known to
// about one occurrence in the recorded steps.
struct Rare {
  DurationNs lo, hi;
};
Rare RareCost(const Evidence& evidence, DurationNs least, DurationNs sum, size_t times);
// "a step", or "in all" where the profile has none.
Message EachStep(const Evidence& evidence);
// "12 a step", "2.5 a step"
Message CountedInStep(const Evidence& evidence, double count);

}  // namespace stepscope
