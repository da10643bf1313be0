#include "link/forward_backward.h"

#include <algorithm>
#include <tuple>
#include <unordered_map>

#include "base/sort_runs.h"
#include "link/links.h"

namespace stepscope {
namespace {

struct Numbered {
  int64_t sequence;
  TimeNs start;
  uint32_t row;
  bool backward;
};

std::vector<Numbered> NumberedOps(const Trace& trace) {
  std::vector<Numbered> ops;
  const Slices& slices = trace.slices;
  for (uint32_t row = 0; row < slices.size(); ++row) {
    if (slices.kind[row] != Kind::kOp || slices.args[row] == kNoRow) continue;
    const OpArgs& args = trace.op_args[slices.args[row]];
    if (args.sequence < 0) continue;
    const bool backward = args.forward_thread > 0 || trace.Traits(row).backward;
    ops.push_back({args.sequence, slices.start[row], row, backward});
  }
  SortRuns(ops, [](const Numbered& a, const Numbered& b) {
    return std::tie(a.sequence, a.start, a.row) < std::tie(b.sequence, b.start, b.row);
  });
  return ops;
}

std::vector<std::pair<SliceId, SliceId>> PairsBySequence(const std::vector<Numbered>& ops) {
  std::vector<std::pair<SliceId, SliceId>> pairs;
  for (size_t first = 0; first < ops.size();) {
    size_t last = first;
    SliceId forward = kNoSlice;
    for (; last < ops.size() && ops[last].sequence == ops[first].sequence; ++last) {
      if (!ops[last].backward) {
        forward = SliceId{ops[last].row};
      } else if (forward != kNoSlice) {
        pairs.emplace_back(forward, SliceId{ops[last].row});
        forward = kNoSlice;
      }
    }
    first = last;
  }
  return pairs;
}

bool IsOp(Kind kind) { return kind == Kind::kOp; }

std::vector<std::pair<SliceId, SliceId>> PairsByFlow(const Trace& trace) {
  std::vector<std::pair<SliceId, SliceId>> pairs;
  const StringId name = trace.strings.Find("fwdbwd");
  if (name == kEmptyString) return pairs;
  std::unordered_map<uint64_t, SliceId> forward;
  for (const Flow& flow : trace.flows) {
    if (flow.name != name) continue;
    const SliceId op = InnermostAt(trace, flow.track, flow.time, IsOp);
    if (flow.phase == FlowPhase::kStart) {
      forward[flow.id] = op;
    } else if (const auto at = forward.find(flow.id);
               at != forward.end() && at->second != kNoSlice && op != kNoSlice) {
      pairs.emplace_back(at->second, op);
    }
  }
  return pairs;
}

}  // namespace

std::vector<std::pair<SliceId, SliceId>> PairForwardBackward(const Trace& trace) {
  const std::vector<Numbered> ops = NumberedOps(trace);
  auto pairs = ops.empty() ? PairsByFlow(trace) : PairsBySequence(ops);
  SortRuns(pairs, [&](const auto& a, const auto& b) {
    const TimeNs start_a = trace.slices.start[Index(a.second)];
    const TimeNs start_b = trace.slices.start[Index(b.second)];
    return std::tie(start_a, a.second, a.first) < std::tie(start_b, b.second, b.first);
  });
  return pairs;
}

}  // namespace stepscope
