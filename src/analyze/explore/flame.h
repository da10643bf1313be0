#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "link/links.h"
#include "trace/trace.h"

namespace stepscope {

// What a path of the flame graph is made of: the spans around a span on its thread, only the
// modules among them, or the parts of the ops' names ("layer1/conv/MatMul").
enum class FlameBy : uint8_t { kStack, kModule, kScope };
// Host: time on the thread. Device: time of the device work that the spans' calls launched.
enum class FlameMetric : uint8_t { kHost, kDevice };

struct FlameNode {
  uint32_t name = 0;    // into FlameTree::names
  uint32_t parent = 0;  // index of a node before it; the root is its own
  Kind kind = Kind::kOther;
  DurationNs value;  // with everything below
  uint64_t calls = 0;
};

// Calls with the same path merged; the steps are calls of one thing. Node 0 is the root.
struct FlameTree {
  std::vector<std::string> names;
  std::vector<FlameNode> nodes;  // parents first, larger ones first among siblings
  uint64_t left_out = 0;         // nodes too small to be kept
};

// O(slices). At most `most` nodes are kept, the largest.
FlameTree BuildFlame(const Trace& trace, const Links& links, FlameBy by, FlameMetric metric,
                     size_t most);

}  // namespace stepscope
