#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "base/flat_index.h"
#include "base/ids.h"
#include "base/time.h"

namespace stepscope {

// Where ops stand in the program: nn.Module tree, or call stacks where no modules are recorded.
struct ScopeRow {
  std::string path;  // "GPT2 > h.0 > attn"
  uint64_t calls = 0;
  DurationNs host_total, device_total;
};

// Paths through a program (modules in modules, functions called by functions), each distinct one a
// node. Paths are cut at kMaxDepth; what is deeper counts towards the node there.
class ScopeTree {
 public:
  static constexpr uint32_t kMaxDepth = 64;
  static constexpr uint32_t kTop = kNoRow;

  struct Node {
    std::string_view name;
    uint32_t parent = kTop;
    uint32_t depth = 0;
    uint64_t calls = 0;
    DurationNs host, device;
  };

  // The node of a name below a parent (or kTop), made when new. `key` stands for the name: equal
  // keys, equal names. Parents have smaller numbers than their children.
  uint32_t Below(uint32_t parent, uint32_t key, std::string_view name);
  Node& operator[](uint32_t node) { return nodes_[node]; }
  // Makes each node's numbers those of itself and all below it.
  void AddUp();
  // Parents before children, siblings by device time, host time, name. Nodes that cost nothing are
  // left out.
  std::vector<ScopeRow> Rows() const;

 private:
  void AppendRows(std::vector<uint32_t> siblings, const std::string& prefix,
                  const std::vector<std::vector<uint32_t>>& children,
                  std::vector<ScopeRow>& rows) const;

  FlatIndex index_;  // (parent + 1, key)
  std::vector<Node> nodes_;
};

}  // namespace stepscope
