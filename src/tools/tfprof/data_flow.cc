#include "tools/tfprof/data_flow.h"

#include <algorithm>
#include <unordered_map>
#include <unordered_set>
#include <utility>
#include <vector>

namespace stepscope::tfprof {
namespace {

using Edge = std::pair<int32_t, int32_t>;  // consumer, source

bool CanBeNode(Kind kind) {
  return kind == Kind::kOp || kind == Kind::kInput || IsDeviceWork(kind);
}

class Collector {
 public:
  Collector(const Trace& trace, std::span<const int32_t> node_of_slice, const Model& model)
      : trace_(trace), node_of_slice_(node_of_slice), model_(model) {}

  void AddLaunches(const Links& links) {
    for (uint32_t row = 0; row < trace_.device_args.size() && row < links.op_of.size(); ++row) {
      const uint32_t work = trace_.device_args[row].slice;
      if (work != kNoRow && links.op_of[row] != kNoSlice) Add(work, Index(links.op_of[row]));
    }
    for (const auto& [forward, backward] : links.forward_backward) {
      Add(Index(backward), Index(forward));
    }
  }

  // Arrows of the file, from each point to the next.
  void AddArrows() {
    std::unordered_map<uint64_t, uint32_t> last;  // by flow: the span it came from
    for (const Flow& flow : trace_.flows) {
      if (flow.track == kNoTrack) continue;
      SliceId at = InnermostAt(trace_, flow.track, flow.time, CanBeNode);
      // timeline.py lets an arrow begin where its op ends.
      if (at == kNoSlice) {
        at = InnermostAt(trace_, flow.track, TimeNs{flow.time.ns - 1}, CanBeNode);
      }
      if (at == kNoSlice) continue;
      const auto [found, added] = last.try_emplace(flow.id, Index(at));
      if (added) continue;
      if (flow.phase != FlowPhase::kStart) Add(Index(at), found->second);
      found->second = Index(at);
    }
  }

  void AddOperands(const HloGraph& hlo) {
    for (int32_t node = 0; node < static_cast<int32_t>(model_.nodes().size()); ++node) {
      const auto known = hlo.operands.find(std::string(NameOf(node)));
      if (known == hlo.operands.end()) continue;
      std::unordered_set<std::string_view> seen;
      std::vector<const std::string*> open;
      for (const std::string& operand : known->second) open.push_back(&operand);
      while (!open.empty()) {
        const std::string& name = *open.back();
        open.pop_back();
        if (!seen.insert(name).second) continue;
        if (const int32_t source = model_.FindNode(name); source != kNoNode) {
          AddEdge(node, source);
          continue;
        }
        const auto behind = hlo.operands.find(name);
        if (behind == hlo.operands.end()) continue;
        for (const std::string& operand : behind->second) open.push_back(&operand);
      }
    }
  }

  // By consumer, each once.
  std::vector<Edge> Take() && {
    std::sort(edges_.begin(), edges_.end());
    edges_.erase(std::unique(edges_.begin(), edges_.end()), edges_.end());
    return std::move(edges_);
  }

 private:
  std::string_view NameOf(int32_t node) const {
    return model_.nodes()[static_cast<size_t>(node)].name;
  }
  void Add(uint32_t consumer, uint32_t source) {
    AddEdge(node_of_slice_[consumer], node_of_slice_[source]);
  }
  void AddEdge(int32_t consumer, int32_t source) {
    if (consumer != kNoNode && source != kNoNode && consumer != source) {
      edges_.emplace_back(consumer, source);
    }
  }

  const Trace& trace_;
  const std::span<const int32_t> node_of_slice_;
  const Model& model_;
  std::vector<Edge> edges_;
};

// Leaves out the edges that lead back to a node on the current path.
std::vector<Edge> WithoutCircles(const std::vector<Edge>& edges, size_t nodes) {
  enum class State : uint8_t { kNew, kOpen, kDone };
  struct Place {
    int32_t node;
    size_t next;  // into edges
  };
  std::vector<State> states(nodes, State::kNew);
  const auto first_of = [&](int32_t node) {
    return static_cast<size_t>(std::lower_bound(edges.begin(), edges.end(), Edge{node, INT32_MIN}) -
                               edges.begin());
  };
  std::vector<Edge> kept;
  for (size_t start = 0; start < nodes; ++start) {
    if (states[start] != State::kNew) continue;
    std::vector<Place> way{{static_cast<int32_t>(start), first_of(static_cast<int32_t>(start))}};
    states[start] = State::kOpen;
    while (!way.empty()) {
      Place& at = way.back();
      if (at.next >= edges.size() || edges[at.next].first != at.node) {
        states[static_cast<size_t>(at.node)] = State::kDone;
        way.pop_back();
        continue;
      }
      const Edge edge = edges[at.next++];
      State& state = states[static_cast<size_t>(edge.second)];
      if (state == State::kOpen) continue;
      kept.push_back(edge);
      if (state == State::kDone) continue;
      state = State::kOpen;
      way.push_back({edge.second, first_of(edge.second)});
    }
  }
  std::sort(kept.begin(), kept.end());
  return kept;
}

}  // namespace

size_t AddDataFlow(const Trace& trace, const Links& links, const HloGraph& hlo,
                   std::span<const int32_t> node_of_slice, Model& model) {
  Collector collector(trace, node_of_slice, model);
  collector.AddLaunches(links);
  collector.AddArrows();
  collector.AddOperands(hlo);
  const std::vector<Edge> edges = WithoutCircles(std::move(collector).Take(), model.nodes().size());
  for (const Edge& edge : edges) model.AddObservedInput(edge.first, edge.second);
  return edges.size();
}

}  // namespace stepscope::tfprof
