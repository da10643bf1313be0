#include "tools/nan/nan_hunt.h"

#include <algorithm>
#include <set>
#include <unordered_map>
#include <utility>

#include "tools/nan/spread.h"
#include "tools/nan/tensor_name.h"

namespace stepscope {
namespace {

using Where = BadOutput::Where;

// What is known of the tensors so far, in order of execution.
class Tensors {
 public:
  void Record(const DebugTrace& trace) {
    graph_[Key(trace.graph_id, trace.op_name, trace.slot)] = trace.health;
  }
  void Record(const DebugExecution& execution) {
    // The owner of an entry is known only if each output has one.
    if (execution.tensors.size() != execution.outputs.size()) return;
    for (size_t i = 0; i < execution.outputs.size(); ++i) {
      eager_[execution.outputs[i]] = execution.tensors[i];
    }
  }
  const TensorHealth* InGraph(std::string_view graph, std::string_view op, int64_t slot) const {
    const auto at = graph_.find(Key(graph, op, slot));
    return at == graph_.end() ? nullptr : &at->second;
  }
  const TensorHealth* Eager(int64_t id) const {
    const auto at = eager_.find(id);
    return at == eager_.end() ? nullptr : &at->second;
  }

 private:
  static std::string Key(std::string_view graph, std::string_view op, int64_t slot) {
    std::string key(graph);
    key.append("\0", 1).append(op).append("\0", 1).append(std::to_string(slot));
    return key;
  }
  std::unordered_map<std::string, TensorHealth> graph_;
  std::unordered_map<int64_t, TensorHealth> eager_;
};

class Hunter {
 public:
  explicit Hunter(const DebugDump& dump) : dump_(dump) {
    for (size_t i = 0; i < dump.graphs.size(); ++i) graph_at_[dump.graphs[i].id] = i;
  }

  NanHunt Run() {
    size_t t = 0;
    size_t e = 0;
    while (t < dump_.traces.size() || e < dump_.executions.size()) {
      const bool trace_next =
          e == dump_.executions.size() ||
          (t < dump_.traces.size() && dump_.traces[t].wall_time <= dump_.executions[e].wall_time);
      if (trace_next) {
        AddTrace(t++);
      } else {
        AddExecution(e++);
      }
    }
    CountSteps();
    FindSource();
    return std::move(hunt_);
  }

 private:
  const DebugGraph* GraphOf(const std::string& id) const {
    const auto at = graph_at_.find(id);
    return at == graph_at_.end() ? nullptr : &dump_.graphs[at->second];
  }

  void AddTrace(size_t index) {
    const DebugTrace& trace = dump_.traces[index];
    told_ |= trace.health.known;
    if (trace.health.bad) AddBadTrace(index);
    tensors_.Record(trace);
  }

  void AddBadTrace(size_t index) {
    const DebugTrace& trace = dump_.traces[index];
    BadOutput bad;
    bad.index = index;
    bad.wall_time = trace.wall_time;
    bad.graph_id = trace.graph_id;
    bad.op = trace.op_name;
    bad.slot = trace.slot;
    bad.health = trace.health;
    if (const DebugGraph* graph = GraphOf(trace.graph_id)) {
      bad.graph_name = graph->name;
      if (const DebugOp* op = graph->Find(trace.op_name)) {
        bad.op_type = op->type;
        bad.stack = op->stack;
        std::set<std::string_view> visited;
        LookAtInputs(*graph, *op, visited, bad);
      }
    }
    std::string around = trace.graph_id;
    while (!around.empty() && bad_graphs_.insert(around).second) {
      const DebugGraph* graph = GraphOf(around);
      around = graph != nullptr ? graph->outer_id : "";
    }
    if (seen_graphs_.insert(trace.graph_id).second) {
      hunt_.first_by_graph.push_back(hunt_.all.size());
    }
    open_traces_.push_back(hunt_.all.size());
    hunt_.all.push_back(std::move(bad));
  }

  // An input that was not recorded counts as its own inputs do: dumps often leave out ops that only
  // pass values on.
  void LookAtInputs(const DebugGraph& graph, const DebugOp& op, std::set<std::string_view>& visited,
                    BadOutput& bad) const {
    constexpr size_t kMostOps = 1000;
    if (!visited.insert(op.name).second || visited.size() > kMostOps) return;
    for (const std::string& input : op.inputs) {
      const auto name = ParseTensorName(input);
      if (!name) continue;
      const TensorHealth* health = tensors_.InGraph(graph.id, name->op, name->slot);
      if (health != nullptr && health->known) {
        if (health->bad) bad.inputs_finite = false;
        continue;
      }
      const DebugOp* producer = graph.Find(name->op);
      // What a graph inside returns is not recorded by itself, and often not the call either: it is
      // bad where the graph went bad.
      const bool from_inside = producer == nullptr || RunsGraph(producer->type);
      if (from_inside && WentBadInside(graph.id)) {
        bad.inputs_finite = false;
        continue;
      }
      if (producer == nullptr || producer->inputs.empty()) {
        bad.inputs_recorded = false;
      } else {
        LookAtInputs(graph, *producer, visited, bad);
      }
    }
  }

  // Whether a graph directly inside of this one has gone bad in the call that runs.
  bool WentBadInside(const std::string& id) const {
    return std::ranges::any_of(bad_graphs_, [&](const std::string& bad) {
      const DebugGraph* graph = GraphOf(bad);
      return graph != nullptr && graph->outer_id == id;
    });
  }

  // A function counts its own calls. What runs outside of functions is counted by the one that does
  // the most work, with the graphs inside of it: the training step.
  void CountSteps() {
    std::unordered_map<std::string, size_t> work;
    for (const DebugGraph& graph : dump_.graphs) {
      std::string id = graph.id;
      for (int depth = 0; depth < 100 && !id.empty(); ++depth) {
        work[id] += graph.ops.size();
        const DebugGraph* outer = GraphOf(id);
        id = outer != nullptr ? outer->outer_id : "";
      }
    }
    std::string training;
    size_t most = 0;
    for (const DebugExecution& execution : dump_.executions) {
      const auto at = work.find(execution.graph_id);
      if (execution.graph_id.empty() || at == work.end() || at->second <= most) continue;
      most = at->second;
      training = execution.graph_id;
    }
    std::unordered_map<std::string, size_t> calls;
    std::vector<size_t> before(dump_.executions.size());
    for (size_t i = 0; i < dump_.executions.size(); ++i) {
      const std::string& called = dump_.executions[i].graph_id;
      before[i] = training.empty() ? i : calls[called.empty() ? training : called];
      if (!called.empty()) ++calls[called];
    }
    for (BadOutput& bad : hunt_.all) {
      if (bad.execution) bad.step = before[*bad.execution];
    }
  }

  void AddExecution(size_t index) {
    const DebugExecution& execution = dump_.executions[index];
    AttributeTraces(index);
    if (!execution.graph_id.empty()) bad_graphs_.clear();
    bool any_bad = false;
    for (size_t slot = 0; slot < execution.tensors.size(); ++slot) {
      const TensorHealth& health = execution.tensors[slot];
      told_ |= health.known;
      if (!health.bad) continue;
      any_bad = true;
      hunt_.all.push_back(BadExecution(index, slot));
    }
    if (any_bad) hunt_.eager_bad.push_back(index);
    tensors_.Record(execution);
  }

  BadOutput BadExecution(size_t index, size_t slot) const {
    const DebugExecution& execution = dump_.executions[index];
    BadOutput bad;
    bad.where = Where::kEager;
    bad.index = index;
    bad.wall_time = execution.wall_time;
    bad.graph_id = execution.graph_id;
    if (const DebugGraph* graph = GraphOf(execution.graph_id)) bad.graph_name = graph->name;
    bad.op = bad.op_type = execution.op_type;
    bad.slot = static_cast<int64_t>(slot);
    bad.health = execution.tensors[slot];
    bad.execution = index;
    bad.stack = execution.stack;
    for (const int64_t id : execution.inputs) {
      const TensorHealth* health = tensors_.Eager(id);
      if (health == nullptr || !health->known) bad.inputs_recorded = false;
      if (health != nullptr && health->bad) bad.inputs_finite = false;
    }
    return bad;
  }

  // A call is recorded when it returns: the traces since the last call of a graph are its own.
  void AttributeTraces(size_t index) {
    const DebugExecution& execution = dump_.executions[index];
    if (execution.graph_id.empty()) return;
    std::erase_if(open_traces_, [&](size_t at) {
      std::string id = hunt_.all[at].graph_id;
      for (int depth = 0; depth < 100 && !id.empty(); ++depth) {
        if (id == execution.graph_id) {
          hunt_.all[at].execution = index;
          return true;
        }
        const DebugGraph* graph = GraphOf(id);
        id = graph != nullptr ? graph->outer_id : "";
      }
      return false;
    });
  }

  void FindSource() {
    hunt_.can_tell = told_;
    const auto first = std::ranges::find_if(hunt_.all, [](const BadOutput& bad) {
      return bad.inputs_finite && !IsArgument(bad.op_type);
    });
    size_t at = static_cast<size_t>(first - hunt_.all.begin());
    if (first == hunt_.all.end()) {
      if (hunt_.all.empty()) return;
      at = 0;
      hunt_.source_is_argument = IsArgument(hunt_.all[0].op_type);
    }
    hunt_.source = hunt_.all[at];
    hunt_.spread = SpreadOf(dump_, hunt_.all, at);
    if (hunt_.source->where == Where::kGraph) LookAround();
  }

  void LookAround() {
    const DebugGraph* graph = GraphOf(hunt_.source->graph_id);
    const DebugOp* op = graph != nullptr ? graph->Find(hunt_.source->op) : nullptr;
    if (op == nullptr) return;
    const auto neighbor = [&](const DebugOp& other, int64_t slot) {
      const TensorHealth* health = tensors_.InGraph(graph->id, other.name, slot);
      return GraphNeighbor{other.name, other.type,
                           health != nullptr ? std::optional(*health) : std::nullopt};
    };
    for (const std::string& input : op->inputs) {
      const auto name = ParseTensorName(input);
      const DebugOp* producer = name ? graph->Find(name->op) : nullptr;
      if (producer != nullptr) hunt_.inputs.push_back(neighbor(*producer, name->slot));
    }
    for (const DebugOp& other : graph->ops) {
      const bool consumes = std::ranges::any_of(other.inputs, [&](const std::string& input) {
        const auto name = ParseTensorName(input);
        return name && name->op == op->name;
      });
      if (consumes) hunt_.consumers.push_back(neighbor(other, 0));
    }
  }

  const DebugDump& dump_;
  std::unordered_map<std::string, size_t> graph_at_;
  Tensors tensors_;
  std::set<std::string> seen_graphs_;
  std::set<std::string> bad_graphs_;  // with a bad output in the call that runs, and those around
  std::vector<size_t> open_traces_;   // indices into all, not yet given to a call
  bool told_ = false;
  NanHunt hunt_;
};

}  // namespace

NanHunt HuntNan(const DebugDump& dump) { return Hunter(dump).Run(); }

}  // namespace stepscope
