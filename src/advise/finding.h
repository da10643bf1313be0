#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/ids.h"
#include "base/message.h"
#include "base/time.h"

namespace stepscope {

enum class FindingSeverity : uint8_t { kHigh, kMedium, kLow, kNote };
std::string_view NameOf(FindingSeverity severity);  // "high", …
enum class Confidence : uint8_t { kHigh, kMedium, kLow };
std::string_view NameOf(Confidence confidence);

// Per step of the program as it runs without the profiler, where that step is known. lo and hi are
// a forecast: what the replay of the dependency graph gives, widened by how far such replays were
// off (advise/forecast.h).
struct Saving {
  DurationNs lo{};
  DurationNs hi{};
  // The replay's own ends: with what is sure to change, with all that may. Findings are ranked and
  // judged by them alone.
  DurationNs replay_lo{};
  DurationNs replay_hi{};
  DurationNs likely{};  // between them, less what another explains
  bool replayed = false;
};

struct EvidenceItem {
  std::string device;  // "gpu:0", or empty
  std::optional<int64_t> rank;
  std::optional<int64_t> step;  // number of the step
  TimeNs start{};
  DurationNs length{};
  std::vector<uint32_t> events;  // ids of the contract: ordinals in the file
};

struct ExplainedBy {
  std::string_view rule;
  Message sentence;
};

// One thing to change. Sentences are complete and carry their numbers.
struct Finding {
  std::string_view rule;
  FindingSeverity severity = FindingSeverity::kNote;
  Message title;
  Messages sentence;
  std::vector<ExplainedBy> causes;
  Saving saving;
  Messages saving_note;  // why lo is 0, how many workers were assumed …
  std::vector<EvidenceItem> evidence;
  Messages fix;  // what to write, line by line, for the framework of the profile
  Message refuted_by;
  Confidence confidence = Confidence::kMedium;
};

struct CannotTellRow {
  std::string_view rule;
  Message needs;  // what to record or give so that it can
};

struct IgnoredRow {
  std::string_view rule;
  std::string reason;
};

// `rules` of the contract.
struct Advice {
  std::vector<Finding> findings;  // in rank order: severity, likely gain, rule
  std::vector<std::string_view> fired, quiet;
  std::vector<CannotTellRow> cannot_tell;
  std::vector<IgnoredRow> ignored;
  bool has_steps = true;                   // else savings are of the whole profile
  DurationNs step{};                       // median as recorded
  std::optional<DurationNs> unprofiled;    // the same without the profiler, where that is known
  std::optional<DurationNs> joint_saving;  // all findings' changes replayed together
};

}  // namespace stepscope
