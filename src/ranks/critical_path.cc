#include "ranks/critical_path.h"

#include <algorithm>
#include <array>
#include <map>
#include <optional>

#include "ranks/waiting.h"

namespace stepscope {
namespace {

class PathWalk {
 public:
  PathWalk(std::span<const RankDigest* const> ranks, const Matching& matching, Job& job)
      : ranks_(ranks), matching_(matching), job_(job), call_of_(ranks.size()) {
    for (uint32_t p = 0; p < ranks.size(); ++p) call_of_[p].assign(ranks[p]->calls.size(), kNoRow);
    for (uint32_t c = 0; c < matching.calls.size(); ++c) {
      for (uint32_t p = 0; p < ranks.size(); ++p) {
        if (matching.calls[c].calls[p] != kNoRow) call_of_[p][matching.calls[c].calls[p]] = c;
      }
    }
  }

  void Run();

 private:
  TimeNs Local(uint32_t p, int64_t time) const { return job_.clocks.Local(p, *ranks_[p], time); }
  int64_t Global(uint32_t p, TimeNs time) const { return job_.clocks.Global(p, *ranks_[p], time); }
  void Add(uint32_t p, PathKind kind, int64_t ns) { parts_[{p, kind}] += std::max<int64_t>(ns, 0); }
  void AddOwn(uint32_t p, Interval local);
  void StepBack();
  // The row of the call that is open right before the time, the last to start; kNoRow if none is.
  uint32_t OpenCall(uint32_t p, TimeNs before) const;

  std::span<const RankDigest* const> ranks_;
  const Matching& matching_;
  Job& job_;
  std::vector<std::vector<uint32_t>> call_of_;  // by position and row: of matching.calls
  std::map<std::pair<uint32_t, PathKind>, int64_t> parts_;
  uint32_t p_ = 0;
  int64_t time_ = 0, begin_ = 0;
};

void PathWalk::AddOwn(uint32_t p, Interval local) {
  const RankDigest& rank = *ranks_[p];
  int64_t rest = local.length().ns;
  const auto take = [&](PathKind kind, const IntervalSet& set) {
    const int64_t part = OverlapOf(set, local).ns;
    Add(p, kind, part);
    rest -= part;
  };
  take(PathKind::kCompute, rank.compute);
  take(PathKind::kCopy, rank.copy);
  take(PathKind::kInput, rank.input);
  Add(p, PathKind::kHost, rest);
}

uint32_t PathWalk::OpenCall(uint32_t p, TimeNs before) const {
  const std::vector<RankCall>& calls = ranks_[p]->calls;
  auto at = std::ranges::lower_bound(calls, before, {}, &RankCall::start);
  for (int tries = 0; tries < 64 && at != calls.begin(); ++tries) {
    --at;
    if (at->end >= before) return static_cast<uint32_t>(at - calls.begin());
  }
  return kNoRow;
}

// Accounts for a stretch before time_ and moves time_, and maybe p_, back over it.
void PathWalk::StepBack() {
  const TimeNs now = Local(p_, time_), begin = Local(p_, begin_);
  const auto exposed = ranks_[p_]->exposed.intervals();
  auto after = std::ranges::lower_bound(exposed, now, {}, &Interval::start);
  const bool none = after == exposed.begin() || (after - 1)->end <= begin;
  const TimeNs waited = none ? begin : std::min((after - 1)->end, now);
  if (none || waited < now) {
    AddOwn(p_, {waited, now});
    time_ = Global(p_, waited);
    return;
  }
  const TimeNs piece = std::max((after - 1)->start, begin);
  const uint32_t row = OpenCall(p_, now);
  const TimeNs start = row == kNoRow ? piece : std::max(piece, ranks_[p_]->calls[row].start);
  const uint32_t call = row == kNoRow ? kNoRow : call_of_[p_][row];
  uint32_t last = kNoRow;
  int64_t last_start = 0;
  if (call != kNoRow) {
    const CollectiveType type = matching_.signatures[matching_.calls[call].signature].type;
    const CallTimes times = TimesOf(matching_.calls[call], matching_, job_.clocks, ranks_);
    // A receive waits for its send, and a large send for its receive. One that was buffered ended
    // before the receive began and waited for nothing.
    const bool waits = Synchronises(type) || (IsPointToPoint(type) && times.last_start < time_);
    if (waits) {
      last = times.last;
      last_start = times.last_start;
    }
  }
  if (last != kNoRow && last != p_ && last_start > Global(p_, start)) {
    const int64_t jump = std::clamp(last_start, begin_, time_);
    Add(p_, PathKind::kTransfer, time_ - jump);
    time_ = jump;
    p_ = last;
    return;
  }
  // A call that covers nothing before `now` would not move the walk on.
  const TimeNs to = start < now ? start : TimeNs{now.ns - 1};
  Add(p_, PathKind::kTransfer, (now - to).ns);
  time_ = Global(p_, to);
}

void PathWalk::Run() {
  p_ = job_.pace;
  const RankDigest& pace = *ranks_[p_];
  const auto used = [](const RankStep& step) { return step.used; };
  const auto first = std::ranges::find_if(pace.steps, used);
  if (first == pace.steps.end() || matching_.calls.empty()) return;
  const auto last = std::find_if(pace.steps.rbegin(), pace.steps.rend(), used);
  begin_ = Global(p_, first->start);
  time_ = Global(p_, last->end);
  job_.path_time.ns = time_ - begin_;
  size_t stretches = 0, most = 16;
  for (const RankDigest* rank : ranks_)
    most += 4 * (rank->calls.size() + rank->exposed.intervals().size());
  while (time_ > begin_ && ++stretches < most) StepBack();
  if (time_ > begin_) AddOwn(p_, {Local(p_, begin_), Local(p_, time_)});
  for (const auto& [key, ns] : parts_) {
    if (ns > 0) job_.critical_path.push_back({job_.ranks[key.first].rank, key.second, {ns}});
  }
  std::ranges::stable_sort(job_.critical_path,
                           [](const PathPart& a, const PathPart& b) { return a.time > b.time; });
}

}  // namespace

DurationNs OverlapOf(const IntervalSet& set, Interval interval) {
  const auto intervals = set.intervals();
  DurationNs sum{};
  auto at = std::ranges::upper_bound(intervals, interval.start, {}, &Interval::end);
  for (; at != intervals.end() && at->start < interval.end; ++at) {
    sum += std::min(at->end, interval.end) - std::max(at->start, interval.start);
  }
  return sum;
}

void FindCriticalPath(std::span<const RankDigest* const> ranks, const Matching& matching,
                      Job& job) {
  PathWalk(ranks, matching, job).Run();
}

}  // namespace stepscope
