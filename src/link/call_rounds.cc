#include "link/call_rounds.h"

#include <algorithm>
#include <cctype>
#include <map>
#include <optional>
#include <string>
#include <unordered_map>
#include <utility>

namespace stepscope {
namespace {

constexpr size_t kFewestRounds = 3;
constexpr size_t kMostAnchors = 64;  // functions that are tried
// Rounds, to speak of a loop at all: one in four may call something more.
constexpr double kMostlyAlike = 0.7;
constexpr double kNearlyAllAlike = 0.9;
constexpr double kAllAlike = 0.97;
// So many rounds of one function between calls of another are no longer taken for micro-batches.
constexpr size_t kMostMicroBatches = 16;

bool Has(std::string_view name, std::initializer_list<std::string_view> words) {
  std::string lower(name);
  std::ranges::transform(lower, lower.begin(), [](unsigned char c) { return std::tolower(c); });
  return std::ranges::any_of(words, [&](std::string_view word) { return lower.contains(word); });
}

struct Anchor {
  uint32_t name = 0;
  std::vector<uint32_t> places;
  double alike = 0;
};

class Calls {
 public:
  explicit Calls(std::span<const std::string_view> names) : names_(names) {
    std::unordered_map<std::string_view, uint32_t> numbers;
    for (const std::string_view name : names) {
      codes_.push_back(
          numbers.try_emplace(name, static_cast<uint32_t>(numbers.size())).first->second);
    }
    places_.resize(numbers.size());
    for (uint32_t i = 0; i < codes_.size(); ++i) places_[codes_[i]].push_back(i);
    Trim();
  }

  CallRounds Find() const {
    const std::vector<Anchor> anchors = Anchors();
    if (anchors.empty()) return {};
    // Of those alike in every round the one called most often; then one called more often still.
    const Anchor* always = nullptr;
    const Anchor* often = nullptr;
    for (const Anchor& anchor : anchors) {
      const Anchor*& best = anchor.alike >= kAllAlike ? always : often;
      if (best == nullptr || anchor.places.size() > best->places.size()) best = &anchor;
    }
    if (always == nullptr) return RoundsOf(*often);
    if (often == nullptr || often->places.size() <= always->places.size()) return RoundsOf(*always);
    return RoundsOf(AreMicroBatches(*often, *always) ? *always : *often);
  }

 private:
  // What is called once after the loop is no part of its last round.
  void Trim() {
    end_ = static_cast<uint32_t>(codes_.size());
    while (end_ > 0 && places_[codes_[end_ - 1]].size() == 1) --end_;
  }

  std::vector<Anchor> Anchors() const {
    std::vector<Anchor> anchors;
    for (uint32_t name = 0; name < places_.size(); ++name) {
      if (places_[name].size() >= kFewestRounds) anchors.push_back({name, places_[name]});
    }
    std::ranges::stable_sort(anchors, [](const Anchor& a, const Anchor& b) {
      return a.places.size() > b.places.size();
    });
    if (anchors.size() > kMostAnchors) anchors.resize(kMostAnchors);
    for (Anchor& anchor : anchors) anchor.alike = AlikeOf(anchor);
    std::erase_if(anchors, [](const Anchor& anchor) { return anchor.alike < kMostlyAlike; });
    // The first call of a round stands for those that are called as often.
    std::ranges::stable_sort(anchors, {}, [](const Anchor& anchor) { return anchor.places[0]; });
    return anchors;
  }

  // Share of the rounds that call the same; 0 where others do not call all of that and more. The
  // last round may be cut, or followed by what comes after the loop: it does not count.
  double AlikeOf(const Anchor& anchor) const {
    std::map<std::u32string, size_t> rounds;
    for (size_t r = 0; r + 1 < anchor.places.size(); ++r) {
      ++rounds[{codes_.begin() + anchor.places[r], codes_.begin() + anchor.places[r + 1]}];
    }
    const auto usual =
        std::ranges::max_element(rounds, {}, [](const auto& round) { return round.second; });
    const double share =
        static_cast<double>(usual->second) / static_cast<double>(anchor.places.size() - 1);
    if (share >= kNearlyAllAlike) return share;
    const bool more = std::ranges::all_of(
        rounds, [&](const auto& round) { return HasInOrder(round.first, usual->first); });
    return more ? share : 0;
  }

  static bool HasInOrder(std::u32string_view round, std::u32string_view part) {
    size_t found = 0;
    for (size_t i = 0; i < round.size() && found < part.size(); ++i) {
      found += round[i] == part[found] ? 1 : 0;
    }
    return found == part.size();
  }

  bool AreMicroBatches(const Anchor& often, const Anchor& always) const {
    const size_t repeats = often.places.size() / always.places.size();
    const std::string_view name = names_[often.places[0]];
    if (Has(name, {"micro", "accum"})) return true;
    if (repeats > kMostMicroBatches || Has(name, {"step", "train"})) return false;
    for (uint32_t i = always.places[0]; i < always.places[1]; ++i) {
      if (codes_[i] != often.name && Has(names_[i], {"update", "apply", "optim", "step"})) {
        return true;
      }
    }
    return false;
  }

  CallRounds RoundsOf(const Anchor& anchor) const {
    CallRounds rounds{anchor.places, end_, anchor.alike};
    // The last round is as long as they usually are; what follows comes after the loop.
    std::vector<uint32_t> lengths;
    for (size_t r = 0; r + 1 < anchor.places.size(); ++r) {
      lengths.push_back(anchor.places[r + 1] - anchor.places[r]);
    }
    const auto middle = lengths.begin() + static_cast<ptrdiff_t>(lengths.size() / 2);
    std::ranges::nth_element(lengths, middle);
    rounds.end = std::min(end_, anchor.places.back() + *middle);
    return rounds;
  }

  const std::span<const std::string_view> names_;
  std::vector<uint32_t> codes_;
  std::vector<std::vector<uint32_t>> places_;  // by code
  uint32_t end_ = 0;
};

}  // namespace

CallRounds FindCallRounds(std::span<const std::string_view> calls) { return Calls(calls).Find(); }

}  // namespace stepscope
