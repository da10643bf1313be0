#include "tools/graph/graph_path.h"

#include <algorithm>
#include <deque>

namespace stepscope {

std::vector<uint32_t> ShortestPath(const GraphIndex& graph, uint32_t from, uint32_t to) {
  const uint32_t none = graph.size();
  if (from >= none || to >= none) return {};
  std::vector<uint32_t> before(graph.size(), none);
  std::vector<bool> seen(graph.size());
  std::deque<uint32_t> queue{from};
  seen[from] = true;
  while (!queue.empty() && !seen[to]) {
    const uint32_t node = queue.front();
    queue.pop_front();
    for (const uint32_t next : graph.consumers(node)) {
      if (seen[next]) continue;
      seen[next] = true;
      before[next] = node;
      queue.push_back(next);
    }
  }
  if (!seen[to]) return {};
  std::vector<uint32_t> path;
  for (uint32_t node = to; node != none; node = before[node]) path.push_back(node);
  std::reverse(path.begin(), path.end());
  return path;
}

}  // namespace stepscope
