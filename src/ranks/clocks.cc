#include "ranks/clocks.h"

#include <algorithm>
#include <cmath>
#include <memory>
#include <optional>

#include "ranks/clock_drift.h"
#include "ranks/statistics.h"
#include "ranks/student.h"

namespace stepscope {
namespace {

constexpr int64_t kSmallBytes = 64 << 10;
constexpr size_t kFewMarks = 8;        // fewer do not average out
constexpr size_t kLeastMarks = 3;      // of small calls
constexpr size_t kLargeMarks = 16;     // of large calls, the shortest
constexpr int64_t kLeastError = 1000;  // ends of one small call differ by microseconds
constexpr double kContradiction = 5;   // times the error
// Ends of large calls are apart, by the same in every call. On eight MI300X the last rank left
// all-gathers and reduce-scatters of gigabytes 5.5 % of the transfer after the first: 0.8 % for
// each rank further along the ring. Three errors have to cover that.
constexpr double kEndsApart = 0.02;
constexpr double kApartByRank = 0.008 / 3;
constexpr double kMostScatters = 3;  // the error, where few marks say how much they scatter
constexpr int kRounds = 200;

// What the marks of one group say about two of its members: time of `from` = time of `to` + offset.
struct Edge {
  uint32_t from = 0, to = 0;
  int64_t offset = 0;
  double error = 0;
  double least_error = 0;  // however many marks there are
  std::shared_ptr<const std::vector<const MatchedCall*>> marks = {};
};

struct Bounds {
  std::vector<int64_t> least, most;  // of the offset, one for each call

  // All but one in a hundred hold.
  std::optional<std::pair<int64_t, int64_t>> Feasible() const {
    if (least.empty()) return std::nullopt;
    const auto low = Quantile(least, least.size() < 100 ? 1 : 0.99);
    const auto high = Quantile(most, most.size() < 100 ? 0 : 0.01);
    if (low > high) return std::nullopt;
    return std::pair(low, high);
  }
};

// The calls of a group that its members leave at the same time.
struct GroupMarks {
  std::shared_ptr<const std::vector<const MatchedCall*>> calls;
  bool small = true;
  int64_t size = 0;    // of the group, whether present or not
  size_t others = 0;   // members but the first
  double scatter = 0;  // of one mark, over all members
};

class Aligner {
 public:
  Aligner(std::span<const RankDigest* const> ranks, const Matching& matching)
      : ranks_(ranks), matching_(matching) {}

  Clocks Run() {
    clocks_.ranks.resize(ranks_.size());
    for (uint32_t g = 0; g < matching_.groups.size(); ++g) AddEdges(g);
    Solve();
    FollowDrift();
    ShareHosts();
    CountViolations();
    return std::move(clocks_);
  }

 private:
  void AddEdges(uint32_t g);
  std::vector<const MatchedCall*> MarksOf(uint32_t g, bool& small) const;
  std::vector<int64_t> DifferencesOf(const std::vector<const MatchedCall*>& marks, uint32_t from,
                                     uint32_t to) const;
  double ErrorOf(const GroupMarks& marks, const std::vector<int64_t>& differences) const;
  void AddEdge(uint32_t from, uint32_t to, const GroupMarks& marks);
  Bounds BoundsOf(uint32_t from, uint32_t to) const;
  void Solve();
  void FollowDrift();
  void ShareHosts();
  bool IsPossible(uint32_t p, int64_t offset) const;
  void CountViolations();

  const RankCall* CallOf(const MatchedCall& call, uint32_t p) const {
    return call.calls[p] == kNoRow ? nullptr : &ranks_[p]->calls[call.calls[p]];
  }
  int64_t FileTime(uint32_t p, TimeNs time) const { return ranks_[p]->epoch_ns + time.ns; }
  int64_t ShortestOf(const MatchedCall& call) const;

  std::span<const RankDigest* const> ranks_;
  const Matching& matching_;
  // How a rank's offset was first found: from which other rank's.
  struct Branch {
    uint32_t known = 0, fresh = 0;
    const Edge* edge = nullptr;
  };

  std::vector<Edge> edges_;
  std::vector<Branch> tree_;  // those that are known come first
  Clocks clocks_;
};

int64_t Aligner::ShortestOf(const MatchedCall& call) const {
  int64_t shortest = INT64_MAX;
  for (uint32_t p = 0; p < ranks_.size(); ++p) {
    if (const RankCall* own = CallOf(call, p)) {
      shortest = std::min(shortest, (own->end - own->start).ns);
    }
  }
  return shortest;
}

std::vector<const MatchedCall*> Aligner::MarksOf(uint32_t g, bool& small) const {
  std::vector<const MatchedCall*> little, all;
  for (const MatchedCall& call : matching_.calls) {
    if (call.group != g) continue;
    const CallSignature& signature = matching_.signatures[call.signature];
    if (!Synchronises(signature.type)) continue;
    all.push_back(&call);
    const bool fits = signature.bytes >= 0 && signature.bytes <= kSmallBytes;
    if (fits || signature.type == CollectiveType::kBarrier) little.push_back(&call);
  }
  small = little.size() >= kLeastMarks;
  if (small) return little;
  const size_t wanted = std::min(all.size(), std::max(kLargeMarks, all.size() / 10));
  std::ranges::partial_sort(all, all.begin() + static_cast<ptrdiff_t>(wanted), {},
                            [this](const MatchedCall* call) { return ShortestOf(*call); });
  all.resize(wanted);
  return all;
}

void Aligner::AddEdges(uint32_t g) {
  const std::vector<uint32_t>& members = matching_.groups[g].members;
  if (members.size() < 2) return;
  GroupMarks marks;
  marks.calls = std::make_shared<const std::vector<const MatchedCall*>>(MarksOf(g, marks.small));
  if (marks.calls->empty()) return;
  clocks_.marks += marks.calls->size();
  clocks_.small_marks &= marks.small;
  marks.size =
      std::max<int64_t>(matching_.groups[g].facts.size, static_cast<int64_t>(members.size()));
  marks.others = members.size() - 1;
  double squares = 0;
  for (size_t m = 1; m < members.size(); ++m) {
    squares += std::pow(Scatter(DifferencesOf(*marks.calls, members[0], members[m])), 2);
  }
  marks.scatter = std::sqrt(squares / static_cast<double>(marks.others));
  for (size_t m = 1; m < members.size(); ++m) AddEdge(members[0], members[m], marks);
}

std::vector<int64_t> Aligner::DifferencesOf(const std::vector<const MatchedCall*>& marks,
                                            uint32_t from, uint32_t to) const {
  std::vector<int64_t> differences;
  for (const MatchedCall* call : marks) {
    const RankCall* a = CallOf(*call, from);
    const RankCall* b = CallOf(*call, to);
    if (a == nullptr || b == nullptr) continue;
    differences.push_back(FileTime(from, a->end) - FileTime(to, b->end));
  }
  return differences;
}

// A third of what the offsets of all members keep within, but in kWrongJobs of the jobs. Few marks
// may agree by chance: the members' common scatter counts, and Student's distribution. However many
// members there are, half of the scatter is that of the first one, against which all are measured.
double Aligner::ErrorOf(const GroupMarks& marks, const std::vector<int64_t>& differences) const {
  const double scatter = std::max(Scatter(differences), marks.scatter);
  const auto count = static_cast<double>(differences.size());
  const auto others = static_cast<double>(marks.others);
  const double freedom = kFreedomOfDeviation * std::max(1.0, count - 1) * 2 * others / (others + 1);
  const double sure = StudentQuantile(kWrongJobs / (2 * others), freedom) / 3;
  return scatter * std::min(kMostScatters, kErrorOfMedian * sure / std::sqrt(count));
}

void Aligner::AddEdge(uint32_t from, uint32_t to, const GroupMarks& marks) {
  const std::vector<int64_t> differences = DifferencesOf(*marks.calls, from, to);
  if (differences.empty()) return;
  // Threads of the host leave a call when they are woken up, some ranks later than others in every
  // call: that does not average out.
  const bool averages = marks.small && differences.size() >= kFewMarks && !ranks_[to]->on_host;
  Edge edge{from, to, Median(differences), ErrorOf(marks, differences)};
  if (!averages) edge.error = std::max(edge.error, Scatter(differences));
  const double least = static_cast<double>(kLeastError) * (averages ? 1 : 3);
  edge.least_error = least;
  if (!marks.small) {
    std::vector<int64_t> shortest;
    for (const MatchedCall* call : *marks.calls) shortest.push_back(ShortestOf(*call));
    const double apart = std::max(kEndsApart, kApartByRank * static_cast<double>(marks.size - 1));
    edge.least_error = apart * static_cast<double>(Median(std::move(shortest)));
    edge.error = std::max(edge.error, edge.least_error);
  }
  // One large call bounds the offset by its length at best.
  if (!marks.small && differences.size() < kLeastMarks) {
    edge.error = static_cast<double>(ShortestOf(*marks.calls->front()));
  }
  if (const auto feasible = BoundsOf(from, to).Feasible()) {
    edge.offset = std::clamp(edge.offset, feasible->first, feasible->second);
    const int64_t room = std::max(feasible->second - edge.offset, edge.offset - feasible->first);
    edge.error = std::min(edge.error, static_cast<double>(room));
  }
  edge.error = std::max(edge.error, least);
  edge.marks = marks.calls;
  edges_.push_back(std::move(edge));
}

Bounds Aligner::BoundsOf(uint32_t from, uint32_t to) const {
  Bounds bounds;
  for (const MatchedCall& call : matching_.calls) {
    if (!Synchronises(matching_.signatures[call.signature].type)) continue;
    const RankCall* a = CallOf(call, from);
    const RankCall* b = CallOf(call, to);
    if (a == nullptr || b == nullptr) continue;
    bounds.least.push_back(FileTime(from, a->start) - FileTime(to, b->end));
    bounds.most.push_back(FileTime(from, a->end) - FileTime(to, b->start));
  }
  return bounds;
}

// Weighted least squares over the edges: a first solution along the surest edges, then rounds of
// averages over all of them.
void Aligner::Solve() {
  std::ranges::stable_sort(edges_, {}, &Edge::error);
  std::vector<std::optional<double>> offset(ranks_.size());
  std::vector<double> error(ranks_.size());
  if (!edges_.empty()) offset[0] = 0;
  for (bool found = true; found;) {
    found = false;
    for (const Edge& edge : edges_) {
      if (offset[edge.from].has_value() == offset[edge.to].has_value()) continue;
      const bool forward = offset[edge.from].has_value();
      const uint32_t known = forward ? edge.from : edge.to, fresh = forward ? edge.to : edge.from;
      const auto delta = static_cast<double>(forward ? edge.offset : -edge.offset);
      offset[fresh] = *offset[known] + delta;
      error[fresh] = std::hypot(error[known], edge.error);
      tree_.push_back({known, fresh, &edge});
      found = true;
    }
  }
  const bool is_tree = edges_.size() < ranks_.size();
  for (int round = 0; round < kRounds && !is_tree; ++round) {
    std::vector<double> sum(ranks_.size()), weight(ranks_.size());
    for (const Edge& edge : edges_) {
      if (!offset[edge.from] || !offset[edge.to]) continue;
      const double w = 1 / (edge.error * edge.error);
      const auto delta = static_cast<double>(edge.offset);
      sum[edge.to] += w * (*offset[edge.from] + delta);
      sum[edge.from] += w * (*offset[edge.to] - delta);
      weight[edge.to] += w;
      weight[edge.from] += w;
    }
    for (size_t p = 1; p < ranks_.size(); ++p) {
      if (weight[p] > 0) offset[p] = (*offset[p] + sum[p] / weight[p]) / 2;
    }
  }
  for (size_t p = 0; p < ranks_.size(); ++p) {
    if (!offset[p]) continue;
    clocks_.ranks[p] = {std::llround(*offset[p]), std::llround(error[p]), true};
  }
}

// Clocks may run at different speeds.
void Aligner::FollowDrift() {
  for (const Branch& branch : tree_) {
    std::vector<ClockMark> marks;
    for (const MatchedCall* call : *branch.edge->marks) {
      const RankCall* known = CallOf(*call, branch.known);
      const RankCall* fresh = CallOf(*call, branch.fresh);
      if (known == nullptr || fresh == nullptr) continue;
      const int64_t time = clocks_.Global(branch.known, *ranks_[branch.known], known->end);
      marks.push_back({fresh->end.ns, time - FileTime(branch.fresh, fresh->end)});
    }
    const double tail = kWrongJobs / (2 * static_cast<double>(ranks_.size()));
    const std::optional<DriftLine> line = FindDrift(std::move(marks), tail);
    if (!line) continue;
    RankClock& clock = clocks_.ranks[branch.fresh];
    clock.offset_ns = std::llround(line->start);
    clock.drift = line->slope;
    const auto before = static_cast<double>(clocks_.ranks[branch.known].error_ns);
    const double error = std::max(line->error, branch.edge->least_error);
    clock.error_ns = std::llround(std::hypot(error, before));
  }
}

bool Aligner::IsPossible(uint32_t p, int64_t offset) const {
  const auto feasible = BoundsOf(0, p).Feasible();
  if (!feasible) return true;
  const int64_t slack = clocks_.ranks[p].error_ns;
  return offset >= feasible->first - slack && offset <= feasible->second + slack;
}

void Aligner::ShareHosts() {
  const std::string& host = ranks_[0]->host;
  clocks_.shared = !host.empty() && clocks_.marks > 0;
  for (uint32_t p = 1; p < ranks_.size(); ++p) {
    RankClock& clock = clocks_.ranks[p];
    const bool same = !host.empty() && ranks_[p]->host == host && clock.aligned &&
                      ranks_[p]->epoch_ns != 0 && ranks_[0]->epoch_ns != 0;
    const double limit = kContradiction * static_cast<double>(clock.error_ns);
    if (same && clock.drift == 0 && std::abs(static_cast<double>(clock.offset_ns)) < limit &&
        IsPossible(p, 0)) {
      clock.offset_ns = 0;
    } else {
      clocks_.shared = false;
    }
  }
}

void Aligner::CountViolations() {
  for (const MatchedCall& call : matching_.calls) {
    if (!Synchronises(matching_.signatures[call.signature].type)) continue;
    int64_t last_start = INT64_MIN, first_end = INT64_MAX, slack = 0;
    for (uint32_t p = 0; p < ranks_.size(); ++p) {
      const RankCall* own = CallOf(call, p);
      if (own == nullptr || !clocks_.ranks[p].aligned) continue;
      last_start = std::max(last_start, clocks_.Start(p, *ranks_[p], *own));
      first_end = std::min(first_end, clocks_.End(p, *ranks_[p], *own));
      slack = std::max(slack, clocks_.ranks[p].error_ns);
    }
    if (first_end != INT64_MAX && last_start > first_end + 2 * slack) ++clocks_.violations;
  }
}

}  // namespace

Clocks AlignClocks(std::span<const RankDigest* const> ranks, const Matching& matching) {
  return Aligner(ranks, matching).Run();
}

}  // namespace stepscope
