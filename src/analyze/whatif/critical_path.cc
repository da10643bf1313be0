#include "analyze/whatif/critical_path.h"

#include <algorithm>

namespace stepscope {
namespace {

// What kept device work from starting earlier: whichever of its dependencies was over last.
uint32_t BindingOf(const StepGraph& graph, const WorkNode& node) {
  const std::vector<WorkNode>& nodes = graph.nodes();
  uint32_t binding = kNoRow;
  TimeNs latest{INT64_MIN};
  const auto offer = [&](uint32_t id, TimeNs ready) {
    if (id == kNoRow || ready < latest) return;
    latest = ready;
    binding = id;
  };
  if (node.previous != kNoRow) offer(node.previous, nodes[node.previous].end + node.previous_gap);
  if (node.barrier != kNoRow) offer(node.barrier, nodes[node.barrier].end + node.barrier_lag);
  if (node.trigger != kNoRow) offer(node.trigger, nodes[node.trigger].start + node.trigger_lag);
  return binding;
}

// What another thread did at the end of this node, if anything was recorded: the one with the
// shortest span there, which says most. Else kNoRow.
uint32_t OtherThreadAt(const StepGraph& graph, const WorkNode& node) {
  const std::vector<WorkNode>& nodes = graph.nodes();
  uint32_t best = kNoRow;
  for (uint32_t id = 0; id < nodes.size(); ++id) {
    const WorkNode& other = nodes[id];
    const bool works = !other.device && other.slice != kNoSlice && other.resource != node.resource;
    if (!works || other.start >= node.end || other.end < node.end) continue;
    if (best == kNoRow || other.start > nodes[best].start) best = id;
  }
  return best;
}

}  // namespace

std::vector<uint32_t> CriticalPathOf(const StepGraph& graph) {
  const std::vector<WorkNode>& nodes = graph.nodes();
  std::vector<uint32_t> path;
  uint32_t at = kNoRow;
  for (const uint32_t id : graph.final_nodes()) {
    if (at == kNoRow || nodes[id].end > nodes[at].end) at = id;
  }
  // Dependencies point back in recorded time, so this ends.
  while (at != kNoRow && path.size() < nodes.size()) {
    path.push_back(at);
    const WorkNode& node = nodes[at];
    const bool waits = !node.device && node.trigger != kNoRow;
    at = node.device ? BindingOf(graph, node) : waits ? node.trigger : node.previous;
    // A thread in which nothing is recorded was waiting for what another one did.
    if (!node.device && node.slice == kNoSlice && !waits) {
      if (const uint32_t other = OtherThreadAt(graph, node); other != kNoRow) {
        path.back() = other;
        at = nodes[other].previous;  // what the other waits for itself comes later than this
      }
    }
  }
  return path;
}

}  // namespace stepscope
