#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <span>
#include <string_view>
#include <unordered_map>
#include <utility>

#include "link/call_rounds.h"
#include "link/host_steps.h"
#include "link/lanes.h"

// Steps of a JAX loop without markers. What a loop does besides calling its compiled functions is
// irregular: waits, transfers and garbage come and go with the machine's mood. Its calls do not:
// the program makes them in the same order in every round, whether it waits for results or not.
namespace stepscope {
namespace {

struct Call {
  StringId name;
  TimeNs start, end;
};

// A call of a compiled function by the program: jit, pmap, jit of old versions; of one compiled
// ahead of time only the run itself is seen.
bool IsJittedCall(std::string_view name) {
  for (const std::string_view begin :
       {"PjitFunction(", "JaxPmapFunction(", "JaxCompiledFunction("}) {
    if (name.starts_with(begin)) return true;
  }
  return name.find("Executable::Execute") != std::string_view::npos &&
         name.find("Helper") == std::string_view::npos;
}

// What is called now and then besides training: it is no part of the usual round.
bool IsAside(std::string_view name) {
  for (const std::string_view word :
       {"eval", "valid", "test", "metric", "log", "predict", "sample", "save", "checkpoint"}) {
    const size_t at = name.find(word);
    // "log" of "log_metrics", not of "logits" or "logsumexp".
    const size_t after = at + word.size();
    if (at == std::string_view::npos) continue;
    if (word != "log" || after >= name.size() || name[after] == '_' || name[after] == ')') {
      return true;
    }
  }
  return false;
}

// The thread that makes most calls: its calls that are in no other call, and its waits.
struct Caller {
  std::vector<Call> calls;
  std::vector<Interval> waits;  // for results
};

Caller CallerOf(const Trace& trace) {
  std::unordered_map<StringId, bool> jitted;
  const auto is_call = [&](StringId name) {
    const auto [at, is_new] = jitted.try_emplace(name, false);
    if (is_new) at->second = IsJittedCall(trace.strings[name]);
    return at->second;
  };
  Caller best;
  for (const LaneGroup group : LaneGroupsOf(trace)) {
    Caller caller;
    TimeNs covered{INT64_MIN};
    for (const uint32_t row : RowsInOrder(trace, group)) {
      const TimeNs start = trace.slices.start[row], end = trace.slices.end(row);
      if (start < covered) continue;
      const bool waits = trace.slices.kind[row] == Kind::kSync;
      if (!waits && !is_call(trace.slices.name[row])) continue;
      if (waits) {
        caller.waits.push_back({start, end});
      } else {
        caller.calls.push_back({trace.slices.name[row], start, end});
      }
      covered = end;
    }
    if (caller.calls.size() > best.calls.size()) best = std::move(caller);
  }
  return best;
}

// Calls without those aside, unless little else is called.
std::vector<Call> MainCalls(const Trace& trace, const std::vector<Call>& calls) {
  std::vector<Call> main;
  for (const Call& call : calls) {
    if (!IsAside(trace.strings[call.name])) main.push_back(call);
  }
  return main.size() * 3 >= calls.size() ? main : calls;
}

std::optional<TimeNs> LastWaitBetween(std::span<const Interval> waits, TimeNs from, TimeNs to) {
  std::optional<TimeNs> last;
  const auto first = std::ranges::lower_bound(waits, from, {}, &Interval::start);
  for (auto at = first; at != waits.end() && at->start < to; ++at) last = std::min(at->end, to);
  return last;
}

DurationNs MedianOf(std::vector<DurationNs> values) {
  if (values.empty()) return {};
  const auto middle = values.begin() + static_cast<ptrdiff_t>((values.size() - 1) / 2);
  std::ranges::nth_element(values, middle);
  return *middle;
}

// Borders as the program sees them: a round ends when its result was waited for, else with its last
// call; what comes before the next call, such as loading a batch, belongs to the next round.
struct HostBorders {
  std::vector<TimeNs> borders;  // one more than rounds
  size_t waited = 0;            // rounds that were waited for
};

HostBorders BordersOf(std::span<const Call> calls, std::span<const Interval> waits,
                      const CallRounds& rounds) {
  HostBorders found;
  std::vector<DurationNs> leads;
  for (size_t r = 1; r < rounds.first.size(); ++r) {
    const TimeNs start = calls[rounds.first[r]].start;
    const TimeNs before = calls[rounds.first[r] - 1].end;
    const std::optional<TimeNs> waited = LastWaitBetween(waits, before, start);
    found.waited += waited ? 1 : 0;
    found.borders.push_back(waited.value_or(before));
    leads.push_back(start - found.borders.back());
  }
  const TimeNs start = calls[rounds.first[0]].start;
  found.borders.insert(found.borders.begin(),
                       start - std::min(MedianOf(std::move(leads)), start - TimeNs{}));
  const TimeNs last = calls[rounds.end - 1].end;
  const TimeNs until = rounds.end < calls.size() ? calls[rounds.end].start : TimeNs{INT64_MAX};
  const bool waits_always = found.waited * 2 >= rounds.first.size() - 1;
  std::optional<TimeNs> waited;
  if (waits_always) waited = LastWaitBetween(waits, last, until);
  found.borders.push_back(waited.value_or(last));
  return found;
}

// When the rounds ran, where the program does not wait for them and runs ahead: by an op that runs
// once a round, the first of them. Empty where no op tells.
std::vector<TimeNs> RunBorders(const Trace& trace, std::span<const Call> calls,
                               const CallRounds& rounds) {
  const Slices& slices = trace.slices;
  const size_t count = rounds.first.size();
  std::unordered_map<StringId, std::vector<TimeNs>> starts;
  TimeNs end;
  for (uint32_t row = 0; row < slices.size(); ++row) {
    if (slices.kind[row] != Kind::kOp) continue;
    starts[slices.name[row]].push_back(slices.start[row]);
    end = std::max(end, slices.end(row));
  }
  std::vector<TimeNs> best;
  for (auto& [name, of_name] : starts) {
    // A round of before the profile may still run when it begins.
    if (of_name.size() < count || of_name.size() > count + 2) continue;
    std::ranges::sort(of_name);
    of_name.erase(of_name.begin(), of_name.end() - static_cast<ptrdiff_t>(count));
    bool caused = true;
    for (size_t r = 0; r < count && caused; ++r) {
      caused = of_name[r] >= calls[rounds.first[r]].start;
    }
    if (caused && (best.empty() || of_name[0] < best[0])) best = of_name;
  }
  if (!best.empty()) best.push_back(std::max(end, best.back()));
  return best;
}

}  // namespace

HostSteps FindJittedSteps(const Trace& trace, const Links& links) {
  const Caller caller = CallerOf(trace);
  const std::vector<Call> calls = MainCalls(trace, caller.calls);
  std::vector<std::string_view> names;
  for (const Call& call : calls) names.push_back(trace.strings[call.name]);
  const CallRounds rounds = FindCallRounds(names);
  if (rounds.first.empty()) return {};
  HostSteps found;
  HostBorders host = BordersOf(calls, caller.waits, rounds);
  if (host.waited * 2 < rounds.first.size() - 1 && links.calls.empty()) {
    std::vector<TimeNs> ran = RunBorders(trace, calls, rounds);
    if (!ran.empty()) {
      ran.front() = std::min(ran.front(), host.borders.front());
      host.borders = std::move(ran);
      found.as_run = true;
    }
  }
  found.source = StepSource::kRepetition;
  found.source_name = "repetition";
  found.confidence = rounds.alike;
  found.any_length = true;
  for (size_t r = 0; r + 1 < host.borders.size(); ++r) {
    found.steps.push_back({.name = fmt::format("step {}", r),
                           .number = static_cast<int64_t>(r),
                           .start = host.borders[r],
                           .end = std::max(host.borders[r], host.borders[r + 1])});
  }
  return found;
}

}  // namespace stepscope
