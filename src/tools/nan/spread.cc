#include "tools/nan/spread.h"

#include <algorithm>
#include <set>
#include <string>
#include <unordered_map>
#include <utility>

#include "tools/nan/tensor_name.h"

namespace stepscope {
namespace {

class Spreading {
 public:
  explicit Spreading(const DebugDump& dump) : dump_(dump) {
    for (const DebugGraph& graph : dump.graphs) graphs_[graph.id] = &graph;
  }

  bool Reaches(const BadOutput& bad) const {
    return bad.where == BadOutput::Where::kGraph ? ReachesOp(bad) : ReachesCall(bad);
  }

  void Add(const BadOutput& bad) {
    if (bad.where == BadOutput::Where::kEager) {
      const auto& outputs = dump_.executions[bad.index].outputs;
      tensors_.insert(outputs.begin(), outputs.end());
      return;
    }
    ops_.insert({bad.graph_id, bad.op});
    std::string id = bad.graph_id;
    // What goes bad inside of a graph comes out of every graph around it.
    while (!id.empty() && inside_.insert(id).second) id = OuterOf(id);
  }

 private:
  bool ReachesOp(const BadOutput& bad) const {
    const auto graph = graphs_.find(bad.graph_id);
    if (graph == graphs_.end()) return false;
    const DebugOp* op = graph->second->Find(bad.op);
    if (op == nullptr) return false;
    // Arguments of a loop's condition and body get what the loop had before or last returned.
    if (IsArgument(op->type)) return inside_.contains(OuterOf(bad.graph_id));
    return ReachesInput(*graph->second, *op, 0);
  }
  // Through ops that only pass values on, and out of graphs that the op's graph runs.
  bool ReachesInput(const DebugGraph& graph, const DebugOp& op, int depth) const {
    constexpr int kMostPassed = 20;
    return depth < kMostPassed &&
           std::ranges::any_of(
               op.inputs,
               [&](const std::string& input) {
                 const auto name = ParseTensorName(input);
                 if (!name) return false;
                 if (ops_.contains({graph.id, std::string(name->op)})) return true;
                 const DebugOp* producer = graph.Find(name->op);
                 // The call of a graph inside is often not recorded.
                 const bool from_inside = producer == nullptr || RunsGraph(producer->type);
                 if (from_inside && ReachedInside(graph.id)) return true;
                 if (producer == nullptr) return false;
                 return PassesOn(producer->type) && ReachesInput(graph, *producer, depth + 1);
               });
  }
  // Whether the source has reached a graph directly inside of this one.
  bool ReachedInside(const std::string& id) const {
    return std::ranges::any_of(inside_,
                               [&](const std::string& reached) { return OuterOf(reached) == id; });
  }
  bool ReachesCall(const BadOutput& bad) const {
    if (!bad.graph_id.empty() && inside_.contains(bad.graph_id)) return true;
    return std::ranges::any_of(dump_.executions[bad.index].inputs,
                               [&](int64_t id) { return tensors_.contains(id); });
  }
  std::string OuterOf(const std::string& id) const {
    const auto graph = graphs_.find(id);
    return graph == graphs_.end() ? "" : graph->second->outer_id;
  }

  const DebugDump& dump_;
  std::unordered_map<std::string, const DebugGraph*> graphs_;
  std::set<std::pair<std::string, std::string>> ops_;  // graph and op
  std::set<std::string> inside_;                       // graphs that hold a reached op
  std::set<int64_t> tensors_;                          // eager
};

}  // namespace

std::vector<size_t> SpreadOf(const DebugDump& dump, const std::vector<BadOutput>& all,
                             size_t source) {
  Spreading spreading(dump);
  spreading.Add(all[source]);
  std::vector<size_t> reached;
  for (size_t i = source + 1; i < all.size(); ++i) {
    if (!spreading.Reaches(all[i])) continue;
    spreading.Add(all[i]);
    reached.push_back(i);
  }
  return reached;
}

}  // namespace stepscope
