#include "ranks/sequence_alignment.h"

#include <algorithm>
#include <cstdlib>
#include <map>
#include <optional>

namespace stepscope {
namespace {

using Pairs = std::vector<std::pair<uint32_t, uint32_t>>;

constexpr double kAgreement = 0.95;
constexpr size_t kSampled = 512;
constexpr double kWhole = 0.9;         // of the calls of the shorter side: nothing else to look for
constexpr size_t kAnchors = 8;         // calls of b, each tried against all of a
constexpr size_t kLookedAt = 64;       // calls of b that judge an offset
constexpr int64_t kShareOfPeriod = 8;  // of half a period that ends of one call may differ by

// Where most of the numbers are: the middle and the width of the shortest stretch with half of
// them.
struct Cluster {
  int64_t middle = 0;
  int64_t width = 0;
};
Cluster ShortestHalf(std::vector<int64_t> numbers) {
  if (numbers.empty()) return {};
  std::ranges::sort(numbers);
  const size_t half = numbers.size() / 2 + 1;
  Cluster best{numbers.front(), INT64_MAX};
  for (size_t i = 0; i + half <= numbers.size(); ++i) {
    const int64_t width = numbers[i + half - 1] - numbers[i];
    if (width < best.width) best = {numbers[i] + width / 2, width};
  }
  return best;
}

struct Shift {
  ptrdiff_t by = 0;  // place in a = place in b + by
  size_t overlap = 0, agree = 0;
  double same_step = 0;
  Cluster ends;

  double agreement() const {
    return overlap == 0 ? 0 : static_cast<double>(agree) / static_cast<double>(overlap);
  }
};

Shift Try(const CallSequence& a, const CallSequence& b, ptrdiff_t by) {
  Shift shift;
  shift.by = by;
  const auto from = static_cast<size_t>(std::max<ptrdiff_t>(0, -by));
  const auto to = static_cast<size_t>(std::clamp<ptrdiff_t>(static_cast<ptrdiff_t>(a.size()) - by,
                                                            0, static_cast<ptrdiff_t>(b.size())));
  if (from >= to) return shift;
  shift.overlap = to - from;
  const size_t stride = std::max<size_t>(1, shift.overlap / kSampled);
  size_t steps = 0, same_steps = 0;
  std::vector<int64_t> differences;
  for (size_t j = from; j < to; ++j) {
    const auto i = static_cast<size_t>(static_cast<ptrdiff_t>(j) + by);
    if (a.signature[i] != b.signature[j]) continue;
    ++shift.agree;
    if (a.step[i] != CallSequence::kNoStep && b.step[j] != CallSequence::kNoStep) {
      ++steps;
      same_steps += a.step[i] == b.step[j] ? 1 : 0;
    }
    if ((j - from) % stride == 0) differences.push_back(a.end[i] - b.end[j]);
  }
  if (steps > 0) shift.same_step = static_cast<double>(same_steps) / static_cast<double>(steps);
  shift.ends = ShortestHalf(std::move(differences));
  return shift;
}

// Whether x is the better one of two shifts that both agree well enough.
bool IsBetter(const Shift& x, const Shift& y) {
  if (std::abs(x.same_step - y.same_step) > 0.1) return x.same_step > y.same_step;
  if (x.ends.width < y.ends.width / 2) return true;
  if (y.ends.width < x.ends.width / 2) return false;
  if (x.overlap != y.overlap) return x.overlap > y.overlap;
  return std::abs(x.by) < std::abs(y.by);
}

std::optional<Shift> BestShift(const CallSequence& a, const CallSequence& b) {
  std::optional<Shift> best, most;
  const size_t least = std::max<size_t>(1, std::min(a.size(), b.size()) * 3 / 10);
  for (ptrdiff_t by = -kMostShift; by <= kMostShift; ++by) {
    const Shift shift = Try(a, b, by);
    if (shift.overlap < least || shift.agree == 0) continue;
    if (!most || shift.agree > most->agree) most = shift;
    if (shift.agreement() >= kAgreement && (!best || IsBetter(shift, *best))) best = shift;
  }
  return best ? best : most;
}

Pairs ByOrder(const CallSequence& a, const CallSequence& b, ptrdiff_t by) {
  Pairs pairs;
  for (size_t j = 0; j < b.size(); ++j) {
    const ptrdiff_t i = static_cast<ptrdiff_t>(j) + by;
    if (i < 0 || i >= static_cast<ptrdiff_t>(a.size())) continue;
    if (a.signature[static_cast<size_t>(i)] != b.signature[j]) continue;
    pairs.emplace_back(static_cast<uint32_t>(i), static_cast<uint32_t>(j));
  }
  return pairs;
}

using Places = std::vector<uint32_t>;
std::map<uint32_t, Places> PlacesOf(const CallSequence& calls) {
  std::map<uint32_t, Places> places;
  for (uint32_t i = 0; i < calls.size(); ++i) places[calls.signature[i]].push_back(i);
  for (auto& [signature, list] : places)
    std::ranges::sort(list, {}, [&](uint32_t i) { return calls.end[i]; });
  return places;
}

// The place whose end is nearest to the time.
uint32_t Nearest(const CallSequence& calls, const Places& places, int64_t time) {
  const auto after =
      std::ranges::lower_bound(places, time, {}, [&](uint32_t i) { return calls.end[i]; });
  if (after == places.end()) return places.back();
  if (after == places.begin()) return *after;
  return time - calls.end[*(after - 1)] <= calls.end[*after] - time ? *(after - 1) : *after;
}

Pairs ByTime(const CallSequence& a, const CallSequence& b, int64_t offset) {
  Pairs pairs;
  const std::map<uint32_t, Places> in_a = PlacesOf(a);
  for (const auto& [signature, of_b] : PlacesOf(b)) {
    const auto at = in_a.find(signature);
    if (at == in_a.end()) continue;
    for (const uint32_t j : of_b) {
      const uint32_t i = Nearest(a, at->second, b.end[j] + offset);
      if (Nearest(b, of_b, a.end[i] - offset) == j) pairs.emplace_back(i, j);
    }
  }
  std::ranges::sort(pairs);
  return pairs;
}

// Half of the usual time between two calls of one signature: a pair whose ends differ by more is
// two calls.
int64_t HalfPeriod(const CallSequence& calls) {
  std::vector<int64_t> gaps;
  for (const auto& [signature, places] : PlacesOf(calls)) {
    for (size_t i = 1; i < places.size(); ++i) {
      gaps.push_back(calls.end[places[i]] - calls.end[places[i - 1]]);
    }
  }
  if (gaps.empty()) return INT64_MAX;
  const auto middle = gaps.begin() + static_cast<ptrdiff_t>(gaps.size() / 2);
  std::ranges::nth_element(gaps, middle);
  return std::max<int64_t>(*middle / 2, 1);
}

// How well an offset between the clocks explains the calls of b.
struct OffsetFit {
  int64_t offset = 0;
  size_t near = 0;   // calls that end where one of a does
  int64_t away = 0;  // median distance of those
};

class OffsetSearch {
 public:
  OffsetSearch(const CallSequence& a, const CallSequence& b, int64_t half_period)
      : a_(a), b_(b), in_a_(PlacesOf(a)), limit_(half_period / kShareOfPeriod) {}

  // The offset that brings most calls of b to the end of one of a with the same signature and step;
  // of several the one with the nearest ends, then the one that changes the clocks least.
  std::optional<int64_t> Run() const {
    std::optional<OffsetFit> best = Try(0);
    const size_t stride = std::max<size_t>(1, b_.size() / kAnchors);
    for (size_t j = 0; j < b_.size(); j += stride) {
      const auto places = in_a_.find(b_.signature[j]);
      if (places == in_a_.end()) continue;
      const size_t skip = std::max<size_t>(1, places->second.size() / kSampled);
      for (size_t k = 0; k < places->second.size(); k += skip) {
        const OffsetFit fit = Try(a_.end[places->second[k]] - b_.end[j]);
        if (IsBetter(fit, *best)) best = fit;
      }
    }
    if (best->near < 2) return std::nullopt;
    return best->offset;
  }

 private:
  static bool IsBetter(const OffsetFit& x, const OffsetFit& y) {
    if (x.near != y.near) return x.near > y.near;
    if (x.away < y.away / 2) return true;
    return x.away <= y.away * 2 && std::abs(x.offset) < std::abs(y.offset);
  }

  OffsetFit Try(int64_t offset) const {
    OffsetFit fit{offset, 0, 0};
    std::vector<int64_t> away;
    const size_t stride = std::max<size_t>(1, b_.size() / kLookedAt);
    for (size_t j = 0; j < b_.size(); j += stride) {
      const auto places = in_a_.find(b_.signature[j]);
      if (places == in_a_.end()) continue;
      const uint32_t i = Nearest(a_, places->second, b_.end[j] + offset);
      const bool known = a_.step[i] != CallSequence::kNoStep && b_.step[j] != CallSequence::kNoStep;
      const int64_t distance = std::abs(a_.end[i] - b_.end[j] - offset);
      if (distance > limit_ || (known && a_.step[i] != b_.step[j])) continue;
      away.push_back(distance);
    }
    fit.near = away.size();
    if (!away.empty()) {
      const auto middle = away.begin() + static_cast<ptrdiff_t>(away.size() / 2);
      std::ranges::nth_element(away, middle);
      fit.away = *middle;
    }
    return fit;
  }

  const CallSequence& a_;
  const CallSequence& b_;
  const std::map<uint32_t, Places> in_a_;
  const int64_t limit_;
};

}  // namespace

std::vector<std::pair<uint32_t, uint32_t>> AlignSequences(const CallSequence& a,
                                                          const CallSequence& b) {
  const std::optional<Shift> shift = BestShift(a, b);
  if (!shift) return {};
  const int64_t limit = HalfPeriod(a);
  Pairs pairs = ByOrder(a, b, shift->by);
  const auto far_from = [&](int64_t offset) {
    return [&, offset](const auto& pair) {
      return std::abs(a.end[pair.first] - b.end[pair.second] - offset) > limit;
    };
  };
  const bool explained =
      pairs.size() == shift->overlap && std::ranges::none_of(pairs, far_from(shift->ends.middle));
  const auto shorter = static_cast<double>(std::min(a.size(), b.size()));
  if (explained && static_cast<double>(pairs.size()) >= kWhole * shorter) return pairs;
  // Calls are lost, or the files hold different parts of the run. Order may then agree at the wrong
  // place by chance: what time says is compared with it.
  if (!explained) {
    pairs = ByTime(a, b, shift->ends.middle);
    std::erase_if(pairs, far_from(shift->ends.middle));
  }
  if (const std::optional<int64_t> offset = OffsetSearch(a, b, limit).Run()) {
    Pairs timed = ByTime(a, b, *offset);
    std::erase_if(timed, far_from(*offset));
    if (timed.size() > pairs.size()) pairs = std::move(timed);
  }
  return pairs;
}

}  // namespace stepscope
