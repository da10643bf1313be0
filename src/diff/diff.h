#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "diff/run.h"
#include "words/message.h"

// The result of a comparison: the struct behind stepscope.diff/1 and all its other forms
// (docs/diff.md). Presenters do no arithmetic on it.
namespace stepscope::diff {

// Of bytes and counts, slower means more and faster means less.
enum class Outcome : uint8_t { kSlower, kFaster, kSame, kCannotTell, kNotComparable };
std::string_view NameOf(Outcome outcome);  // "slower", "cannot_tell", …

enum class Unit : uint8_t { kStep, kRun, kCall };
std::string_view NameOf(Unit unit);

enum class By : uint8_t { kOp, kModule, kKernel, kCategory, kLine };
std::string_view NameOf(By by);
std::optional<By> ByNamed(std::string_view name);

struct Settings {
  double alpha = 0.05;
  double threshold = 0.03;  // of the smaller side
  uint64_t seed = 1;
  By by = By::kOp;
  std::string device;  // only this one; empty: the busiest
  bool force = false;  // judge time although machines differ
};

struct Spread {
  uint32_t n = 0;
  int64_t median = 0, mad = 0, min = 0, max = 0;
};

struct Comparison {
  Spread base, now;
  int64_t delta = 0;          // now.median - base.median
  std::optional<double> rel;  // of base.median
  std::optional<int64_t> lo, hi;
  std::optional<double> p, q;
  Outcome result = Outcome::kCannotTell;
  std::optional<int64_t> runs_needed;  // a side, where the result is kCannotTell
};

struct Metric {
  std::string id;      // "step_time", "idle.input", …
  std::string unit;    // "ns", "bytes", "count"
  std::string device;  // empty: of the whole run
  Comparison compared;
};

struct Partition {
  std::string device;
  int64_t step = 0;
  int64_t compute = 0, exposed_communication = 0, exposed_copy = 0, exposed_memset = 0, idle = 0;
  int64_t residue = 0;  // step less all others: medians of parts need not add up to the median
  struct IdleDelta {
    Cause cause = Cause::kUnknown;
    int64_t delta = 0;
  };
  std::vector<IdleDelta> idle_causes;  // adds up to idle; by |delta|
};

enum class State : uint8_t { kMatched, kAdded, kRemoved, kMoved, kRenamed };
std::string_view NameOf(State state);

enum class Level : uint8_t { kModuleOpShape, kModuleOp, kOpShape, kBase, kFamily, kKernels, kNone };
inline constexpr size_t kLevels = 7;
std::string_view NameOf(Level level);

struct NodeKey {
  AtomKind kind = AtomKind::kOp;
  std::string module, op, shapes, types, pass, line, kernel;
};

struct NodeSide {
  int64_t calls = 0;             // medians per step, as all of it
  int64_t device = 0, host = 0;  // ns
  std::vector<uint32_t> events;  // in the first run
};

struct KernelPair {
  std::string base, now;                                           // empty: only on the other side
  int64_t base_calls = 0, now_calls = 0, base_ns = 0, now_ns = 0;  // per step, means
  std::string_view by;  // "exact", "base", "family", "category" or "none"
};

struct Node {
  NodeKey key;
  NodeKey base_key;  // of moved and renamed nodes: what it was
  Level level = Level::kNone;
  State state = State::kMatched;
  bool on_device = false;        // whether `compared` is device time; else host time
  bool changes_program = false;  // added, removed, moved, other device work
  NodeSide base, now;
  Comparison compared;
  Outcome device_result = Outcome::kSame;
  std::vector<KernelPair> kernels;
  std::string line;  // where the program asks for it; empty: not recorded
};

struct Match {
  std::array<double, kLevels> share{};  // of device time (host time without any), by level
  double unmatched_base = 0, unmatched_now = 0;
  bool line_by_line = true;  // else the programs differ too much: Diff::categories is shown
};

enum class Severity : uint8_t { kNote, kBreaks };
struct EnvironmentChange {
  std::string what, base, now;
  Severity severity = Severity::kNote;
};

// A side has a finding if more than half of its runs do.
struct FindingChange {
  std::string rule;
  std::optional<RunFinding> base, now;
  bool beyond_noise = false;  // that only one side has it

  bool is_new() const { return beyond_noise && now && !base; }
  bool is_gone() const { return beyond_noise && base && !now; }
  bool may_be_noise() const { return !beyond_noise && now.has_value() != base.has_value(); }
};

struct Verdict {
  Outcome result = Outcome::kCannotTell;
  Messages sentence;
  std::vector<std::string> why;  // ids of the metrics that decided
};

struct Diff {
  std::vector<Run> base, now;  // what was compared; atoms are dropped
  Settings settings;
  Unit unit = Unit::kStep;
  bool single_run = true;      // a side has one run: host time proves nothing
  bool per_step_nodes = true;  // else a side is a report: nodes are means, one value a run
  bool base_damaged = false, now_damaged = false;  // all runs of the side lost events
  std::vector<EnvironmentChange> environment;
  Verdict verdict;
  std::vector<Metric> metrics;
  std::optional<Partition> partition;
  Match match;
  std::vector<Node> nodes;       // changes of the program by |delta|, then host time by |delta|
  bool ops_changed = false;      // added, removed, moved, other device work
  std::vector<Node> categories;  // where nodes do not match line by line: totals to show instead
  uint64_t rest_nodes = 0;
  int64_t rest_delta = 0;
  std::vector<FindingChange> findings;  // by rule; those of both sides too
  Messages notes;

  const Metric* Find(std::string_view id) const;
  // What people are shown: nodes, or categories where single nodes mean little.
  const std::vector<Node>& shown() const { return categories.empty() ? nodes : categories; }
};

// Compares two sides of at least one run each. Pure.
Diff Compare(std::vector<Run> base, std::vector<Run> now, const Settings& settings);

}  // namespace stepscope::diff
