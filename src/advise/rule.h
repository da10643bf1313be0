#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string_view>
#include <variant>
#include <vector>

#include "advise/finding.h"
#include "analyze/whatif/replay.h"

namespace stepscope {

class Evidence;  // advise/evidence.h

// What a rule found out. A rule never prints and never touches anything but its evidence.
struct Quiet {};
struct CannotTell {
  Message needs;
};
struct Fires {
  Message title;
  Messages sentence;
  DurationNs saving_hi{};
  std::vector<Change> changes;  // what is sure to change: its replay is lo; empty: none possible
  std::vector<Change>
      changes_most;  // what may change at most: its replay bounds hi; empty: unknown
  // Bounds lo beyond the replay (work that only moves elsewhere), or stands for it where there is
  // none.
  std::optional<DurationNs> lo_at_most, lo_at_least;
  bool as_recorded = false;    // waits and transfers, which the profiler does not stretch
  DurationNs device_goes{};    // device work that goes with the change, beside that of `changes`
  Messages saving_note;        // a sentence about both ends of the saving
  Message lo_means, hi_means;  // under which assumption: "with such kernels twice as fast"
  std::vector<EvidenceItem> evidence;
  Messages fix;  // lines; empty: the fix of the rule's words for this framework
  Confidence confidence = Confidence::kHigh;
  FindingSeverity at_most = FindingSeverity::kHigh;  // gates and notes cap their severity
  bool gate = false;  // about the profile itself: no saving, severity from at_most
};
using RuleVerdict = std::variant<Quiet, CannotTell, Fires>;

enum class RuleGroup : uint8_t {
  kTrust,
  kInput,
  kHost,
  kKernels,
  kCompile,
  kCpu,
  kMemory,
  kCommunication,
  kOther,
  kLint
};

// A symptom says where time goes, a cause what to write. A symptom never stands above the cause
// that explains it.
enum class Role : uint8_t { kCause, kSymptom };

struct Rule {
  std::string_view id;
  RuleGroup group = RuleGroup::kOther;
  std::string_view
      explains;  // id of the finding this one is a cause of when both fire; empty: none
  RuleVerdict (*check)(const Evidence&) = nullptr;
  Role role = Role::kCause;
};

// Each file of rules has one function; catalogue.cc joins them in the order of the catalogue.
std::span<const Rule> TrustRules();
std::span<const Rule> InputRules();
std::span<const Rule> FeedRules();
std::span<const Rule> HostRules();
std::span<const Rule> StallRules();
std::span<const Rule> CopyRules();
std::span<const Rule> KernelRules();
std::span<const Rule> FusionRules();
std::span<const Rule> CompileRules();
std::span<const Rule> CpuRules();
std::span<const Rule> MemoryRules();
std::span<const Rule> CommunicationRules();
std::span<const Rule> OtherRules();
std::span<const Rule> CounterRules();
std::span<const Rule> Lints();
const std::vector<Rule>& AllRules();
// Null when no rule has this id.
const Rule* FindRule(std::string_view id);

}  // namespace stepscope
