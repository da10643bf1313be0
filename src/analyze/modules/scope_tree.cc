#include "analyze/modules/scope_tree.h"

#include <algorithm>
#include <string>
#include <tuple>

namespace stepscope {

uint32_t ScopeTree::Below(uint32_t parent, uint32_t key, std::string_view name) {
  const uint32_t depth = parent == kTop ? 0 : nodes_[parent].depth + 1;
  if (depth == kMaxDepth) return parent;
  const uint64_t above = parent == kTop ? 0 : uint64_t{parent} + 1;
  const uint32_t at = index_.Of(above << 32 | key);
  if (at == nodes_.size()) nodes_.push_back({name, parent, depth, 0, {}, {}});
  return at;
}

void ScopeTree::AddUp() {
  for (size_t i = nodes_.size(); i-- > 0;) {
    const Node& node = nodes_[i];
    if (node.parent == kTop) continue;
    Node& parent = nodes_[node.parent];
    parent.calls += node.calls;
    parent.host += node.host;
    parent.device += node.device;
  }
}

std::vector<ScopeRow> ScopeTree::Rows() const {
  std::vector<uint32_t> roots;
  std::vector<std::vector<uint32_t>> children(nodes_.size());
  for (uint32_t i = 0; i < nodes_.size(); ++i) {
    if (nodes_[i].host.ns == 0 && nodes_[i].device.ns == 0) continue;
    (nodes_[i].parent == kTop ? roots : children[nodes_[i].parent]).push_back(i);
  }
  std::vector<ScopeRow> rows;
  AppendRows(std::move(roots), "", children, rows);
  return rows;
}

void ScopeTree::AppendRows(std::vector<uint32_t> siblings, const std::string& prefix,
                           const std::vector<std::vector<uint32_t>>& children,
                           std::vector<ScopeRow>& rows) const {
  std::sort(siblings.begin(), siblings.end(), [&](uint32_t a, uint32_t b) {
    return std::tie(nodes_[b].device, nodes_[b].host, nodes_[a].name, a) <
           std::tie(nodes_[a].device, nodes_[a].host, nodes_[b].name, b);
  });
  for (const uint32_t i : siblings) {
    const Node& node = nodes_[i];
    const std::string path = prefix + std::string(node.name);
    rows.push_back({path, node.calls, node.host, node.device});
    AppendRows(children[i], path + " > ", children, rows);
  }
}

}  // namespace stepscope
