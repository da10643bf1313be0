#include "link/repetition.h"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <unordered_map>
#include <utility>

namespace stepscope {
namespace {

constexpr double kNearlyAll = 0.97;       // of the best candidate's rate of return
constexpr double kLowestRate = 0.8;       // of return, to speak of a loop at all
constexpr double kLowestExactRate = 0.6;  // of return, without the slack
constexpr double kShareOfNames = 0.75;    // that have to belong to the loop
constexpr uint32_t kSignature = 32;       // actions by which a border is recognised
constexpr uint32_t kLongestLayer = 8;     // actions of a period that may be a layer only
constexpr size_t kCandidates = 64;
constexpr size_t kMostShortRounds = 100;
// Bounds of the searches, so that no input makes them quadratic.
constexpr uint32_t kMostSlack = 512;   // actions around the place where a border is due
constexpr uint32_t kMostPrefix = 256;  // actions before the first border
constexpr size_t kFewRounds = 3;
constexpr double kSameRounds = 0.95;

// Distances between equal runs of `width` actions, voted for in `votes`.
void VoteForDistances(std::span<const Action> actions, std::span<const double> weight, size_t width,
                      std::vector<double>& votes) {
  if (actions.size() < width) return;
  constexpr uint64_t kBase = 0x9E3779B97F4A7C15;
  uint64_t top = 1;
  for (size_t i = 1; i < width; ++i) top *= kBase;
  uint64_t hash = 0;
  std::unordered_map<uint64_t, uint32_t> last;
  last.reserve(actions.size());
  const auto code = [&](size_t i) { return (actions[i].name + uint64_t{1}) * 0xBF58476D1CE4E5B9; };
  for (size_t i = 0; i < width - 1; ++i) hash = hash * kBase + code(i);
  for (size_t i = 0; i + width <= actions.size(); ++i) {
    hash = hash * kBase + code(i + width - 1);
    const auto [at, is_new] = last.emplace(hash, static_cast<uint32_t>(i));
    if (!is_new) {
      votes[i - at->second] += width == 1 ? weight[actions[i].name] : 1;
      at->second = static_cast<uint32_t>(i);
    }
    hash -= top * code(i);
  }
}

void SortAndUnique(std::vector<uint32_t>& values) {
  std::sort(values.begin(), values.end());
  values.erase(std::unique(values.begin(), values.end()), values.end());
}

class Loop {
 public:
  explicit Loop(std::span<const Action> actions) : actions_(actions) {
    uint32_t names = 0;
    for (const Action& action : actions) names = std::max(names, action.name + 1);
    places_.resize(names);
    for (uint32_t i = 0; i < actions.size(); ++i) places_[actions[i].name].push_back(i);
    for (const auto& places : places_) {
      weight_.push_back(places.size() < 2 ? 0 : 1.0 / static_cast<double>(places.size()));
    }
  }

  // 0: none.
  uint32_t Period() const {
    const std::vector<uint32_t> candidates = Candidates();
    const auto exact = [this](uint32_t period) { return RateOfReturn(period, 0); };
    const auto [period, rate] = SmallestGood(candidates, exact);
    if (rate >= kNearlyAll) return period;
    // Actions more or fewer shift all that follows: look around the place, then closely.
    const auto slack = [](uint32_t p) { return p < 16 ? 0 : 2 + p / 50; };
    const auto roughly = [&](uint32_t p) { return RateOfReturn(p, slack(p)); };
    const auto [rough, rough_rate] = SmallestGood(candidates, roughly);
    if (rough_rate < kLowestRate) return rate >= kLowestRate ? period : 0;
    std::pair best(exact(rough), rough);
    const uint32_t reach = std::max(rough / 20, slack(rough));
    for (const uint32_t p : candidates) {
      if (p + reach >= rough && p <= rough + reach) best = std::max(best, {exact(p), p});
    }
    return best.first >= kLowestExactRate ? best.second : 0;
  }

  // First actions of the rounds of the period, found one after the other.
  Repetition Rounds(uint32_t period) const {
    Repetition rounds;
    uint32_t at = FirstBorder(period);
    const uint32_t signature = at;
    rounds.end = at;
    while (at < size()) {
      const uint32_t left = size() - at;
      if (left * 5 < period) break;  // a scrap
      rounds.borders.push_back(at);
      rounds.end = std::min(size(), at + period);
      const uint32_t next = NextBorder(signature, at + period, period);
      if (next != kNowhere) rounds.end = next;
      at = next;
    }
    return rounds;
  }

  // A multiple of a short period after which pauses stand out, or 0; and the first such pause.
  std::pair<uint32_t, uint32_t> PausedMultiple(uint32_t period) const {
    std::vector<uint32_t> by_pause(size());
    std::iota(by_pause.begin(), by_pause.end(), 0U);
    std::stable_sort(by_pause.begin(), by_pause.end(), [this](uint32_t a, uint32_t b) {
      return actions_[a].pause > actions_[b].pause;
    });
    std::vector<uint32_t> distances{period};
    for (size_t top = 2; top <= std::min<size_t>(by_pause.size(), 128); top *= 2) {
      std::vector<uint32_t> longest(by_pause.begin(),
                                    by_pause.begin() + static_cast<ptrdiff_t>(top));
      std::sort(longest.begin(), longest.end());
      for (size_t i = 1; i < longest.size(); ++i) {
        const uint32_t distance = longest[i] - longest[i - 1];
        if (distance % period == 0) distances.push_back(distance);
      }
    }
    SortAndUnique(distances);
    for (const uint32_t distance : distances) {
      if (const auto phase = PausesStandOut(distance); phase != kNowhere) return {distance, phase};
    }
    return {0, 0};
  }

  // Names of the loop among all names.
  double ShareOfNames(const Repetition& rounds) const {
    size_t all = 0;
    size_t common = 0;
    const auto& borders = rounds.borders;
    for (const auto& places : places_) {
      if (places.empty()) continue;
      ++all;
      size_t present = 0;
      for (size_t r = 0; r < borders.size(); ++r) {
        const uint32_t last = r + 1 < borders.size() ? borders[r + 1] : rounds.end;
        const auto at = std::lower_bound(places.begin(), places.end(), borders[r]);
        present += at != places.end() && *at < last ? 1 : 0;
      }
      common += present * 3 >= borders.size() * 2 ? 1 : 0;
    }
    return all == 0 ? 0 : static_cast<double>(common) / static_cast<double>(all);
  }

  // Actions that two neighbouring rounds have in common, over all rounds.
  double Sameness(const Repetition& rounds) const {
    uint64_t common = 0;
    uint64_t all = 0;
    std::unordered_map<uint32_t, int64_t> before;
    for (size_t r = 0; r < rounds.borders.size(); ++r) {
      const uint32_t last = r + 1 < rounds.borders.size() ? rounds.borders[r + 1] : rounds.end;
      std::unordered_map<uint32_t, int64_t> here;
      for (uint32_t i = rounds.borders[r]; i < last; ++i) ++here[actions_[i].name];
      if (r > 0) {
        for (const auto& [name, count] : here) {
          const auto at = before.find(name);
          if (at != before.end()) common += 2 * static_cast<uint64_t>(std::min(count, at->second));
          all += static_cast<uint64_t>(count);
        }
        for (const auto& [name, count] : before) all += static_cast<uint64_t>(count);
      }
      before = std::move(here);
    }
    return all == 0 ? 0 : static_cast<double>(common) / static_cast<double>(all);
  }

 private:
  static constexpr uint32_t kNowhere = ~uint32_t{0};
  uint32_t size() const { return static_cast<uint32_t>(actions_.size()); }

  std::vector<uint32_t> Candidates() const {
    std::vector<double> votes(actions_.size() + 1, 0);
    for (const size_t width : {1U, 4U, 16U, 64U}) VoteForDistances(actions_, weight_, width, votes);
    std::vector<uint32_t> distances;
    for (uint32_t d = 1; d <= size() / 2 + 1 && d < votes.size(); ++d) {
      if (votes[d] > 0) distances.push_back(d);
    }
    const size_t kept = std::min(kCandidates, distances.size());
    std::partial_sort(
        distances.begin(), distances.begin() + static_cast<ptrdiff_t>(kept), distances.end(),
        [&](uint32_t a, uint32_t b) { return votes[a] != votes[b] ? votes[a] > votes[b] : a < b; });
    distances.resize(kept);
    // Profiles often hold whole steps only.
    for (uint32_t rounds = 2; rounds <= kCandidates && rounds <= size(); ++rounds) {
      distances.push_back(size() / rounds);
    }
    SortAndUnique(distances);
    return distances;
  }

  template <typename Rate>
  static std::pair<uint32_t, double> SmallestGood(std::span<const uint32_t> candidates, Rate rate) {
    std::vector<double> rates;
    double best = 0;
    for (const uint32_t p : candidates) best = std::max(best, rates.emplace_back(rate(p)));
    for (size_t i = 0; i < candidates.size(); ++i) {
      if (rates[i] >= kNearlyAll * best) return {candidates[i], best};
    }
    return {0, 0};
  }

  // How many actions come back a period later, give or take `slack`; each name counts the same.
  double RateOfReturn(uint32_t period, uint32_t slack) const {
    double all = 0;
    double back = 0;
    // A sample does for long sequences; a prime stride meets every part of a round.
    const uint32_t stride = size() < 100'000 ? 1 : size() < 1'000'000 ? 11 : 101;
    for (uint32_t i = 0; i + period < size(); i += stride) {
      const std::vector<uint32_t>& places = places_[actions_[i].name];
      const double weight = weight_[actions_[i].name];
      all += weight;
      if (slack == 0) {
        back += actions_[i + period].name == actions_[i].name ? weight : 0;
        continue;
      }
      const auto at = std::lower_bound(places.begin(), places.end(), i + period - slack);
      back += at != places.end() && *at <= i + period + slack ? weight : 0;
    }
    return all == 0 ? 0 : back / all;
  }

  // How much of the beginning of a round at `signature` stands at `at`, too: 0 to 1, seldom names
  // counting more, but for those that most rounds do not have.
  double Likeness(uint32_t signature, uint32_t at, uint32_t period) const {
    const uint32_t width = std::min(period, kSignature);
    const size_t seldom = size() / period / 2;
    double all = 0;
    double alike = 0;
    for (uint32_t i = 0; i < width && signature + i < size() && at + i < size(); ++i) {
      const uint32_t name = actions_[signature + i].name;
      const double weight = places_[name].size() < seldom ? 0 : weight_[name];
      all += weight;
      alike += actions_[at + i].name == actions_[signature + i].name ? weight : 0;
    }
    return all == 0 ? 0 : alike / all;
  }

  uint32_t FirstBorder(uint32_t period) const {
    for (uint32_t at = 0; at + period < size() && at < std::min(period, kMostPrefix); ++at) {
      if (NextBorder(at, at + period, period) != kNowhere) return at;
    }
    return 0;
  }

  // The place within a quarter of a period of `due` that begins most like `signature`, at least
  // half.
  uint32_t NextBorder(uint32_t signature, uint32_t due, uint32_t period) const {
    if (due >= size()) return kNowhere;
    const uint32_t width = std::min(period, kSignature);
    uint32_t best = kNowhere;
    double best_likeness = 0.5;
    const auto consider = [&](uint32_t at) {
      // A scrap at the very end may look like anything.
      if (at >= size() || (at != due && at + width > size())) return;
      const double likeness = Likeness(signature, at, period);
      if (likeness <= best_likeness) return;
      best_likeness = likeness;
      best = at;
    };
    consider(due);
    const uint32_t slack = std::min(period / 4, kMostSlack);
    for (uint32_t off = 1; off <= slack && best_likeness < 1; ++off) {
      consider(due - off);
      consider(due + off);
    }
    return best;
  }

  // The phase at which pauses stand out every `distance` actions, or kNowhere.
  uint32_t PausesStandOut(uint32_t distance) const {
    constexpr uint32_t kFewestPauses = 3;
    if (distance < 2 || size() / distance < kFewestPauses) return kNowhere;
    uint32_t phase = 0;
    int64_t longest = -1;
    std::vector<int64_t> pauses;
    for (uint32_t p = 0; p < distance; ++p) {
      pauses.clear();
      for (uint32_t i = p == 0 ? distance : p; i < size(); i += distance) {
        pauses.push_back(actions_[i].pause.ns);
      }
      const int64_t median = Percentile(pauses, 50);
      if (median > longest) {
        longest = median;
        phase = p;
      }
    }
    std::vector<int64_t> inside;
    pauses.clear();
    for (uint32_t i = 1; i < size(); ++i) {
      (i % distance == phase ? pauses : inside).push_back(actions_[i].pause.ns);
    }
    if (pauses.size() < kFewestPauses) return kNowhere;
    const int64_t usual = Percentile(inside, 95);
    const int64_t rare = Percentile(inside, 99);
    const auto above =
        std::count_if(pauses.begin(), pauses.end(), [&](int64_t pause) { return pause > usual; });
    const bool stand_out = above * 5 >= std::ssize(pauses) * 4 && longest * 2 > rare * 3;
    return stand_out ? phase : kNowhere;
  }

  static int64_t Percentile(std::vector<int64_t>& values, size_t percent) {
    if (values.empty()) return 0;
    const size_t at = std::min(values.size() - 1, values.size() * percent / 100);
    std::nth_element(values.begin(), values.begin() + static_cast<ptrdiff_t>(at), values.end());
    return values[at];
  }

  std::span<const Action> actions_;
  std::vector<std::vector<uint32_t>> places_;  // by name
  std::vector<double> weight_;  // by name: one over how often it occurs; 0: only once
};

}  // namespace

Repetition FindRepetition(std::span<const Action> actions) {
  if (actions.size() < 2) return {};
  const Loop loop(actions);
  const uint32_t period = loop.Period();
  if (period == 0) return {};
  Repetition rounds = loop.Rounds(period);
  if (rounds.borders.size() < 2 || loop.ShareOfNames(rounds) < kShareOfNames) return {};
  if (period <= kLongestLayer) {
    const auto [multiple, phase] = loop.PausedMultiple(period);
    // Many rounds of a handful of actions without a pause are what steps are made of.
    if (multiple == 0 && rounds.borders.size() > kMostShortRounds) return {};
    if (multiple > period) {
      rounds.borders.clear();
      const auto size = static_cast<uint32_t>(actions.size());
      for (uint32_t at = phase; at + multiple / 5 < size; at += multiple)
        rounds.borders.push_back(at);
      rounds.end = std::min(size, rounds.borders.back() + multiple);
    }
  }
  rounds.confidence = loop.Sameness(rounds);
  // Two or three rounds have to be the same, many may differ a little.
  const bool few = rounds.borders.size() <= kFewRounds;
  return rounds.confidence >= (few ? kSameRounds : kLowestRate) ? rounds : Repetition{};
}

}  // namespace stepscope
