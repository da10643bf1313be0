#include "link/links.h"

#include <algorithm>
#include <functional>
#include <span>
#include <string_view>
#include <unordered_map>

#include "base/sort_runs.h"
#include "link/correlation_index.h"
#include "link/forward_backward.h"
#include "link/lanes.h"

namespace stepscope {
namespace {

bool IsCall(Kind kind) { return kind == Kind::kCall; }
bool IsOp(Kind kind) { return kind == Kind::kOp; }

// Fills op_of_call for one thread, whose rows in order row_at gives: the op that began last of
// those still running.
template <typename RowAt>
void FindOwnersAmong(const Trace& trace, uint32_t count, RowAt row_at,
                     std::vector<SliceId>& op_of_call) {
  const Slices& slices = trace.slices;
  std::vector<uint32_t> open;
  uint32_t next = 0;  // first row that may open an op after the current time
  for (uint32_t at = 0; at < count; ++at) {
    const uint32_t row = row_at(at);
    if (slices.kind[row] != Kind::kCall || slices.args[row] == kNoRow) continue;
    const TimeNs now = slices.start[row];
    // Also what begins together with the call and is shorter.
    for (; next < count && slices.start[row_at(next)] <= now; ++next) {
      if (slices.kind[row_at(next)] == Kind::kOp) open.push_back(row_at(next));
    }
    while (!open.empty() && slices.end(open.back()) <= now) open.pop_back();
    if (!open.empty()) op_of_call[slices.args[row]] = SliceId{open.back()};
  }
}

void FindOwners(const Trace& trace, LaneGroup thread, std::vector<SliceId>& op_of_call) {
  if (op_of_call.empty()) return;
  if (thread.last == thread.first + 1) {
    const RowRange range = trace.tracks[thread.first].slices;
    FindOwnersAmong(trace, range.size(), [&](uint32_t i) { return range.first + i; }, op_of_call);
  } else {
    const std::vector<uint32_t> rows = RowsInOrder(trace, thread);
    FindOwnersAmong(
        trace, static_cast<uint32_t>(rows.size()), [&](uint32_t i) { return rows[i]; }, op_of_call);
  }
}

void LinkByCorrelation(const Trace& trace, Links& links) {
  const CorrelationIndex calls(trace);
  for (uint32_t r = 0; r < trace.device_args.size(); ++r) {
    const DeviceArgs& args = trace.device_args[r];
    if (args.slice == kNoRow) continue;
    const bool is_work = IsDeviceWork(trace.slices.kind[args.slice]);
    links.device_events += is_work ? 1 : 0;
    links.launch_of[r] = calls.CallWith(args.correlation);
    if (links.launch_of[r] == kNoSlice) continue;
    links.method_of[r] = LinkMethod::kCorrelation;
    links.linked_by_correlation += is_work ? 1 : 0;
  }
}

std::vector<uint32_t> UnlinkedRows(const Trace& trace, const Links& links) {
  std::vector<uint32_t> rows;
  for (uint32_t r = 0; r < trace.device_args.size(); ++r) {
    if (links.method_of[r] == LinkMethod::kNone && trace.device_args[r].slice != kNoRow) {
      rows.push_back(r);
    }
  }
  return rows;
}

// Names under which profilers draw an arrow from a launch to device work.
bool IsLaunchFlow(std::string_view name) {
  return name == "ac2g" || name == "async_cpu_to_gpu" || name == "async_gpu" || name == "launch" ||
         name == "async_npu" || name.starts_with("HostToDevice") || name == "dep";
}

// Follows the arrows that end where unlinked device work starts. The tables hold only what is not
// linked yet, which is little as a rule.
void LinkByFlow(const Trace& trace, std::span<const uint32_t> unlinked, Links& links) {
  // Most arrows end at work that is linked: a bit of a hash of the time tells.
  std::vector<bool> maybe(size_t{1} << 16);
  const auto bit = [](TimeNs time) {
    return static_cast<uint64_t>(time.ns) * 0x9e3779b97f4a7c15u >> 48;
  };
  std::unordered_map<int64_t, std::vector<uint32_t>> starting_at;
  for (const uint32_t r : unlinked) {
    const TimeNs start = trace.slices.start[trace.device_args[r].slice];
    starting_at[start.ns].push_back(r);
    maybe[bit(start)] = true;
  }
  std::unordered_map<uint64_t, uint32_t> row_of_flow;
  for (const Flow& flow : trace.flows) {
    if (flow.phase == FlowPhase::kStart || !maybe[bit(flow.time)]) continue;
    const auto at = starting_at.find(flow.time.ns);
    if (at == starting_at.end() || !IsLaunchFlow(trace.strings[flow.name])) continue;
    for (const uint32_t r : at->second) {
      const TrackId track = trace.TrackOf(trace.device_args[r].slice);
      if (LaneGroupOf(trace, track).first == Index(flow.track)) row_of_flow[flow.id] = r;
    }
  }
  if (row_of_flow.empty()) return;
  for (const Flow& flow : trace.flows) {
    if (flow.phase != FlowPhase::kStart || !IsLaunchFlow(trace.strings[flow.name])) continue;
    const auto at = row_of_flow.find(flow.id);
    if (at == row_of_flow.end()) continue;
    const uint32_t r = at->second;
    links.launch_of[r] = InnermostAt(trace, flow.track, flow.time, IsCall);
    links.op_of[r] = InnermostAt(trace, flow.track, flow.time, IsOp);
    if (links.launch_of[r] != kNoSlice || links.op_of[r] != kNoSlice) {
      links.method_of[r] = LinkMethod::kFlow;
    }
  }
}

// Device work without a launch belongs to the op whose external id it carries; of several, the one
// that began last, the innermost.
void OwnByExternalId(const Trace& trace, std::span<const uint32_t> unlinked, Links& links) {
  std::unordered_map<uint64_t, SliceId> op_with;
  for (const uint32_t r : unlinked) {
    const uint64_t id = trace.device_args[r].external_id;
    if (id != 0 && links.method_of[r] == LinkMethod::kNone) op_with.emplace(id, kNoSlice);
  }
  if (op_with.empty()) return;
  const Slices& slices = trace.slices;
  for (uint32_t row = 0; row < slices.size(); ++row) {
    if (slices.kind[row] != Kind::kOp || slices.args[row] == kNoRow) continue;
    const auto at = op_with.find(trace.op_args[slices.args[row]].external_id);
    if (at == op_with.end()) continue;
    SliceId& op = at->second;
    if (op == kNoSlice || slices.start[Index(op)] < slices.start[row]) op = SliceId{row};
  }
  for (const uint32_t r : unlinked) {
    if (links.method_of[r] != LinkMethod::kNone) continue;
    const auto at = op_with.find(trace.device_args[r].external_id);
    if (at == op_with.end() || at->second == kNoSlice) continue;
    links.op_of[r] = at->second;
    links.method_of[r] = LinkMethod::kExternalId;
  }
}

// A row of device_args as the inverse of launch_of orders it.
struct LaunchedRow {
  SliceId launch;
  TimeNs start;
  uint32_t row;

  auto operator<=>(const LaunchedRow&) const = default;
};

// Rows of device_args by launch, then start.
void SortByLaunch(const Trace& trace, const Links& links, std::vector<uint32_t>& rows) {
  std::vector<LaunchedRow> launched;
  launched.reserve(rows.size());
  for (const uint32_t r : rows) {
    launched.push_back({links.launch_of[r], trace.slices.start[trace.device_args[r].slice], r});
  }
  SortRuns(launched, std::less<>());
  std::ranges::transform(launched, rows.begin(), &LaunchedRow::row);
}

// The inverse of launch_of, for device work only. Files that have device work in order of time as a
// rule have it in order of launches, too: then there is nothing to sort.
void Invert(const Trace& trace, Links& links) {
  links.device_rows.reserve(trace.device_args.size());
  bool sorted = true;
  LaunchedRow last{};
  for (uint32_t r = 0; r < trace.device_args.size(); ++r) {
    if (links.launch_of[r] == kNoSlice) continue;
    const uint32_t slice = trace.device_args[r].slice;
    if (!IsDeviceWork(trace.slices.kind[slice])) continue;
    links.device_rows.push_back(r);
    if (!sorted) continue;
    const LaunchedRow next{links.launch_of[r], trace.slices.start[slice], r};
    sorted = last <= next || links.device_rows.size() == 1;
    last = next;
  }
  if (!sorted) SortByLaunch(trace, links, links.device_rows);
  for (uint32_t i = 0; i < links.device_rows.size(); ++i) {
    const SliceId launch = links.launch_of[links.device_rows[i]];
    if (links.calls.empty() || links.calls.back() != launch) {
      links.calls.push_back(launch);
      links.first.push_back(i);
    }
  }
  links.first.push_back(static_cast<uint32_t>(links.device_rows.size()));
}

}  // namespace

Links FindLinks(const Trace& trace, TaskPool& pool) {
  Links links;
  links.launch_of.assign(trace.device_args.size(), kNoSlice);
  links.method_of.assign(trace.device_args.size(), LinkMethod::kNone);
  links.op_of.assign(trace.device_args.size(), kNoSlice);
  links.op_of_call.assign(trace.call_args.size(), kNoSlice);

  const std::vector<LaneGroup> threads = LaneGroupsOf(trace);
  constexpr size_t kOtherTasks = 2;
  pool.ForEach(threads.size() + kOtherTasks, [&](size_t task) {
    if (task == 0) {
      links.forward_backward = PairForwardBackward(trace);
    } else if (task == 1) {
      LinkByCorrelation(trace, links);
    } else {
      FindOwners(trace, threads[task - kOtherTasks], links.op_of_call);
    }
  });
  const std::vector<uint32_t> unlinked = UnlinkedRows(trace, links);
  if (!unlinked.empty()) {
    LinkByFlow(trace, unlinked, links);
    OwnByExternalId(trace, unlinked, links);
  }
  for (uint32_t r = 0; r < trace.device_args.size(); ++r) {
    if (links.launch_of[r] == kNoSlice) continue;
    const uint32_t args = trace.slices.args[Index(links.launch_of[r])];
    if (args != kNoRow) links.op_of[r] = links.op_of_call[args];
  }
  Invert(trace, links);
  return links;
}

SliceId InnermostAt(const Trace& trace, TrackId track, TimeNs time, bool (*wanted)(Kind)) {
  const Slices& slices = trace.slices;
  const LaneGroup lanes = LaneGroupOf(trace, track);
  SliceId innermost = kNoSlice;
  for (uint32_t lane = lanes.first; lane < lanes.last; ++lane) {
    const RowRange range = trace.tracks[lane].slices;
    const auto begin = slices.start.begin() + range.first;
    const auto end = slices.start.begin() + range.last;
    const auto after = std::upper_bound(begin, end, time);
    if (after == begin) continue;
    SliceId at{static_cast<uint32_t>(after - slices.start.begin() - 1)};
    while (at != kNoSlice && (slices.end(Index(at)) <= time || !wanted(slices.kind[Index(at)]))) {
      at = slices.parent[Index(at)];
    }
    if (at == kNoSlice) continue;
    if (innermost == kNoSlice || slices.start[Index(innermost)] < slices.start[Index(at)]) {
      innermost = at;
    }
  }
  return innermost;
}

}  // namespace stepscope
