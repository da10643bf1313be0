#pragma once

#include <cstdint>
#include <span>
#include <utility>
#include <vector>

namespace stepscope::tfprof {

struct WalkPlace {
  int64_t depth = 1;
  uint32_t indent = 0;
};

// Depth first over a forest, without recursion: graphs may be as deep as they are long. For each
// node in order: Enter says whether to go on with it; then its children, unless Descend says no;
// then Leave gets what the children left behind and adds to what the parent gets.
//
//   bool Enter(uint32_t node, WalkPlace place);
//   const std::vector<uint32_t>* Descend(uint32_t node, WalkPlace place, WalkPlace& below);
//   void Leave(uint32_t node, WalkPlace place, std::vector<uint32_t>& from_children,
//              std::vector<uint32_t>& to_parent);
template <typename Visitor>
std::vector<uint32_t> WalkForest(std::span<const uint32_t> roots, WalkPlace place,
                                 Visitor&& visitor) {
  struct Level {
    uint32_t node;
    WalkPlace place;
    WalkPlace below;
    const std::vector<uint32_t>* children;  // nullptr: not to be visited
    size_t next = 0;
    std::vector<uint32_t> kept;
  };
  std::vector<uint32_t> result;
  std::vector<Level> stack;
  const auto enter = [&](uint32_t node, WalkPlace at) {
    if (!visitor.Enter(node, at)) return;
    WalkPlace below{at.depth + 1, at.indent};
    const std::vector<uint32_t>* children = visitor.Descend(node, at, below);
    stack.push_back(Level{node, at, below, children, 0, {}});
  };
  for (const uint32_t root : roots) {
    enter(root, place);
    while (!stack.empty()) {
      Level& level = stack.back();
      if (level.children != nullptr && level.next < level.children->size()) {
        const uint32_t child = (*level.children)[level.next++];
        const WalkPlace below = level.below;
        enter(child, below);
        continue;
      }
      Level done = std::move(stack.back());
      stack.pop_back();
      visitor.Leave(done.node, done.place, done.kept, stack.empty() ? result : stack.back().kept);
    }
  }
  return result;
}

// Hands a list up; cheap when the other is still empty.
inline void HandUp(std::vector<uint32_t>& from, std::vector<uint32_t>& to) {
  if (to.empty()) {
    to.swap(from);
  } else {
    to.insert(to.end(), from.begin(), from.end());
  }
}

}  // namespace stepscope::tfprof
