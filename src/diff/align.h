#pragma once

#include <vector>

#include "diff/diff.h"
#include "diff/side_nodes.h"

namespace stepscope::diff {

struct Aligned {
  const SideNode* base = nullptr;  // null: added
  const SideNode* now = nullptr;   // null: removed
  Level level = Level::kNone;
  State state = State::kMatched;
};

// Pairs the nodes of two sides, cheap and certain keys first; what is left is added or removed.
// O(nodes log nodes). In order of first occurrence: all nodes of the new side, then removed ones.
std::vector<Aligned> Align(const Side& base, const Side& now);

// The kernels of a pair: by exact name, by base name, by family, by category; the rest alone.
std::vector<KernelPair> AlignKernels(const SideNode* base, const SideNode* now, size_t base_steps,
                                     size_t now_steps);

}  // namespace stepscope::diff
