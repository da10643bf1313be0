#pragma once

#include <cstdint>
#include <vector>

#include "tools/tfprof/filter.h"
#include "tools/tfprof/view.h"
#include "tools/tfprof/walk.h"

namespace stepscope::tfprof {

// Finds where -start_name_regexes lets the tree begin: the first match on each branch.
class StartSearch {
 public:
  StartSearch(const Filter& filter, const View& view)
      : filter_(filter), view_(view), starts_(view.nodes.size()) {}

  // After accounting every node hangs from one place only, so that none is met twice.
  bool Enter(uint32_t row, WalkPlace) {
    starts_[row] = filter_.Starts(view_.nodes[row].name);
    return true;
  }
  const std::vector<uint32_t>* Descend(uint32_t row, WalkPlace, WalkPlace&) {
    return starts_[row] ? nullptr : &view_.nodes[row].shown_children;
  }
  void Leave(uint32_t row, WalkPlace, std::vector<uint32_t>& below, std::vector<uint32_t>& up) {
    if (starts_[row]) {
      up.push_back(row);
    } else {
      HandUp(below, up);
    }
  }

 private:
  const Filter& filter_;
  const View& view_;
  std::vector<bool> starts_;
};

}  // namespace stepscope::tfprof
