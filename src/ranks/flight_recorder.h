#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "base/result.h"

// Dumps of PyTorch's flight recorder: the last collectives that each rank of a job handed to its
// communication library. They tell which rank a hanging job waits for.
namespace stepscope {

struct FlightEntry {
  std::string group;  // name
  int64_t sequence = -1;
  bool point_to_point = false;
  std::string name;                // "nccl:all_reduce", "nccl:send 0->1"
  std::string sizes, dtypes;       // of the inputs, as text
  std::string state;               // scheduled, started, completed
  std::vector<std::string> stack;  // "train_step (train.py:31)", innermost first
};

struct FlightGroup {
  std::string description;
  std::vector<int64_t> ranks;  // empty: not known
};

struct FlightDump {
  std::string path;
  int64_t rank = 0;
  std::map<std::string, FlightGroup> groups;  // by name
  std::vector<FlightEntry> entries;           // oldest first
};

// Whether the first bytes are those of a dump: a pickle or JSON with entries and groups.
bool IsFlightDump(std::string_view head);

// Reads a pickle, of which nothing is ever run, or JSON. The rank is the number at the end of the
// name.
Result<FlightDump> ReadFlightDump(const std::string& path);

enum class FlightFindingKind : uint8_t {
  kMissing,       // ranks that did not enter a call that others entered
  kTypeDiffers,   // ranks entered different collectives at one place
  kSizeDiffers,   // the same with other sizes or types
  kUnmatched,     // a send without its receive, or the other way round
  kNotStarted,    // all entered, none started: the device is stuck before
  kNotCompleted,  // all started, not all completed: network or kernel
  kNoDump,        // a member left no dump
};
std::string_view NameOf(FlightFindingKind kind);

struct FlightFinding {
  FlightFindingKind kind = FlightFindingKind::kMissing;
  std::string group;
  int64_t sequence = -1;
  std::string call;                // what the others entered
  std::vector<int64_t> ranks;      // who did not, or who differs
  std::string other;               // what those entered instead, or last
  std::vector<std::string> stack;  // of the first of them
};

// What keeps the job from going on, the culprit first. One pass over the entries.
std::vector<FlightFinding> AnalyzeFlight(std::span<const FlightDump> dumps);

}  // namespace stepscope
