#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "read/tfevents/event.h"
#include "read/tfevents/run_log.h"

namespace stepscope {

// Finds what TensorBoard calls orphaned: points of a run that was killed and began again at an
// earlier step. Rules, in the order of events:
//   - files with a version of 2 or more: a session START at step s hides every earlier point with
//     step >= s, once a summary follows it. A START at step 0 hides only if that summary does go
//     back: some writers stamp every START with 0.
//   - older files: a summary whose step is below the last one hides earlier points of its own tags
//     with step >= its own.
class RestartFinder {
 public:
  // Every event of the run in order; the first has ordinal 0.
  void Add(const Event& event, const std::string& file, uint64_t offset);
  // After the last event: sorts out what Hidden needs.
  void Finish();

  bool hides() const { return !run_wide_.empty() || !by_tag_.empty(); }
  // The restart (an index into restarts()) that hides a point of this tag, step and ordinal; the
  // one that reaches back furthest where several do. O(log restarts).
  std::optional<size_t> HiddenBy(uint64_t ordinal, int64_t step, std::string_view tag) const;
  std::vector<Restart>& restarts() { return restarts_; }
  uint64_t events() const { return next_ordinal_; }

 private:
  // After Finish: the lowest step of this cut and all later ones, and whose it is.
  struct Cut {
    uint64_t ordinal;
    int64_t step;
    size_t restart;
  };
  struct Pending {
    Restart restart;
    uint64_t ordinal;
  };

  void AddSummary(const Event& event, const std::string& file, uint64_t offset);
  void Resolve(int64_t next_step);

  uint64_t next_ordinal_ = 0;
  double version_ = 2;
  bool any_summary_ = false;
  int64_t max_step_ = 0;
  int64_t recent_step_ = -1;
  std::vector<Pending> pending_;
  std::vector<Cut> run_wide_;
  std::unordered_map<std::string, std::vector<Cut>> by_tag_;
  std::vector<Restart> restarts_;
};

}  // namespace stepscope
