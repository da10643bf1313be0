#include "read/tfevents/restarts.h"

#include <algorithm>
#include <cstdlib>

namespace stepscope {
namespace {

// "brain.Event:2" gives 2; anything else 0.
double VersionOf(std::string_view text) {
  constexpr std::string_view kPrefix = "brain.Event:";
  if (!text.starts_with(kPrefix)) return 0;
  return std::strtod(std::string(text.substr(kPrefix.size())).c_str(), nullptr);
}

}  // namespace

void RestartFinder::Add(const Event& event, const std::string& file, uint64_t offset) {
  // If the first record is whole but not a version, the file is older than versions.
  if (next_ordinal_ == 0 && offset == 0 && event.what != EventWhat::kFileVersion) version_ = 0;
  if (event.what == EventWhat::kFileVersion) version_ = VersionOf(event.payload);
  if (event.what == EventWhat::kSessionLog && event.status == SessionStatus::kStart &&
      version_ >= 2 && any_summary_ && event.step <= max_step_) {
    pending_.push_back({{file, offset, event.step, event.wall_time, 0, true}, next_ordinal_});
  }
  if (event.what == EventWhat::kSummary) AddSummary(event, file, offset);
  ++next_ordinal_;
}

void RestartFinder::AddSummary(const Event& event, const std::string& file, uint64_t offset) {
  Resolve(event.step);
  if (version_ < 2 && event.step < recent_step_) {
    const size_t restart = restarts_.size();
    restarts_.push_back({file, offset, event.step, event.wall_time, 0, true});
    SummaryValue value;
    for (SummaryValues values(event.payload); values.Next(value);) {
      by_tag_[std::string(value.tag)].push_back({next_ordinal_, event.step, restart});
    }
  } else {
    recent_step_ = event.step;
  }
  max_step_ = any_summary_ ? std::max(max_step_, event.step) : event.step;
  any_summary_ = true;
}

void RestartFinder::Resolve(int64_t next_step) {
  for (Pending& pending : pending_) {
    pending.restart.hides = pending.restart.step > 0 || next_step <= max_step_;
    if (pending.restart.hides) {
      run_wide_.push_back({pending.ordinal, pending.restart.step, restarts_.size()});
    }
    restarts_.push_back(std::move(pending.restart));
  }
  pending_.clear();
}

void RestartFinder::Finish() {
  for (Pending& pending : pending_) {
    pending.restart.hides = false;
    restarts_.push_back(std::move(pending.restart));
  }
  pending_.clear();
  const auto lowest_from_here = [](std::vector<Cut>& cuts) {
    for (size_t i = cuts.size(); i-- > 1;) {
      Cut& earlier = cuts[i - 1];
      if (cuts[i].step >= earlier.step) continue;
      earlier.step = cuts[i].step;
      earlier.restart = cuts[i].restart;
    }
  };
  lowest_from_here(run_wide_);
  for (auto& [tag, cuts] : by_tag_) lowest_from_here(cuts);
}

std::optional<size_t> RestartFinder::HiddenBy(uint64_t ordinal, int64_t step,
                                              std::string_view tag) const {
  const auto among = [&](const std::vector<Cut>& cuts) -> std::optional<size_t> {
    const auto later = std::ranges::upper_bound(cuts, ordinal, {}, &Cut::ordinal);
    if (later == cuts.end() || later->step > step) return std::nullopt;
    return later->restart;
  };
  if (const auto by = among(run_wide_)) return by;
  if (by_tag_.empty()) return std::nullopt;
  const auto own = by_tag_.find(std::string(tag));
  return own == by_tag_.end() ? std::nullopt : among(own->second);
}

}  // namespace stepscope
