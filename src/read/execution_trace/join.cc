#include "read/execution_trace/join.h"

#include <algorithm>
#include <charconv>
#include <string_view>
#include <unordered_map>
#include <utility>

#include "io/random_access.h"
#include "read/chrome_json/event_blocks.h"
#include "read/execution_trace/execution_trace.h"
#include "words/quality.h"

namespace stepscope {
namespace {

constexpr SayFrom<kQualityTexts> Say;

using Node = ExecutionTrace::Node;

uint64_t RecordFunctionIn(std::string_view event) {
  constexpr std::string_view kKey = "\"Record function id\"";
  const size_t key = event.find(kKey);
  if (key == event.npos) return 0;
  const size_t digits = event.find_first_of("0123456789", key + kKey.size());
  uint64_t id = 0;
  if (digits != event.npos) std::from_chars(event.data() + digits, event.data() + event.size(), id);
  return id;
}

// The slices of a profile by the id of their function. The profile does not keep these ids: they
// are read again from its file, which only happens where an execution trace asks for them.
class Functions {
 public:
  explicit Functions(const Trace& trace) : trace_(trace) {
    if (trace.facts.format != Format::kKineto || trace.places.empty() || trace.path == "-") return;
    Result<std::unique_ptr<RandomAccess>> file = RandomAccess::Open(trace.path);
    if (!file) return;
    (*file)->Prepare({});
    std::vector<uint32_t> ops;
    for (uint32_t row = 0; row < trace.slices.size(); ++row) {
      const Kind kind = trace.slices.kind[row];
      if (!IsDeviceWork(kind) && TableOf(kind) == ArgsTable::kOp) ops.push_back(row);
    }
    std::ranges::sort(ops, {}, [&](uint32_t row) { return trace.slices.event[row]; });
    chrome_json::EventBlocks blocks;
    for (const uint32_t row : ops) {
      const Result<std::string> text = blocks.Text(**file, trace.places, trace.slices.event[row]);
      if (!text) continue;
      if (const uint64_t id = RecordFunctionIn(*text)) slice_of_.try_emplace(id, row);
    }
  }

  // kNoRow where the profile has no such call.
  uint32_t SliceOf(const Node& node) const {
    const auto at = slice_of_.find(node.record_function);
    if (node.record_function == 0 || at == slice_of_.end()) return kNoRow;
    return trace_.Name(at->second) == node.name ? at->second : kNoRow;
  }
  size_t Matches(const ExecutionTrace& execution) const {
    if (slice_of_.empty()) return 0;
    return static_cast<size_t>(std::ranges::count_if(
        execution.nodes, [&](const Node& node) { return SliceOf(node) != kNoRow; }));
  }

 private:
  const Trace& trace_;
  std::unordered_map<uint64_t, uint32_t> slice_of_;
};

bool IsOfProcess(const Trace& trace, int64_t pid) {
  const std::string key = std::to_string(pid);
  return std::ranges::any_of(trace.processes, [&](const Process& p) { return p.key == key; });
}

class Joining {
 public:
  Joining(const ExecutionTrace& from, const Functions& functions, Trace& into, ExecutionRows& rows)
      : from_(from), functions_(functions), into_(into), rows_(rows) {
    for (size_t i = 0; i < from.nodes.size(); ++i) {
      row_of_.try_emplace(from.nodes[i].id, static_cast<uint32_t>(i));
    }
  }

  void Run() {
    for (const Node& node : from_.nodes) AddNode(node);
    FindWriters();
    for (size_t i = 0; i < from_.nodes.size(); ++i) AddUses(static_cast<uint32_t>(i));
    into_.traits.resize(into_.strings.size());
    const size_t joined = static_cast<size_t>(std::ranges::count_if(
        rows_.nodes, [](const ExecutionNode& node) { return node.slice != kNoRow; }));
    into_.facts.notes["execution_trace_nodes"] = std::to_string(from_.nodes.size());
    into_.facts.notes["execution_trace_joined"] = std::to_string(joined);
  }

 private:
  StringId Keep(const std::string& text) { return into_.strings.Intern(text); }

  void AddNode(const Node& node) {
    ExecutionNode kept;
    kept.id = node.id;
    kept.slice = functions_.SliceOf(node);
    const auto parent = row_of_.find(node.parent);
    if (parent != row_of_.end() && node.parent != node.id) kept.parent = parent->second;
    kept.name = Keep(node.name);
    kept.schema = Keep(node.schema);
    kept.input_values = Keep(node.inputs.values);
    kept.input_dims = Keep(node.inputs.dims);
    kept.input_types = Keep(node.inputs.types);
    kept.output_values = Keep(node.outputs.values);
    kept.output_dims = Keep(node.outputs.dims);
    kept.output_types = Keep(node.outputs.types);
    if (kept.slice != kNoRow) FillShapes(kept);
    rows_.nodes.push_back(kept);
  }

  // The shapes of a profile that was recorded without them.
  void FillShapes(const ExecutionNode& node) {
    uint32_t& row = into_.slices.args[node.slice];
    if (row == kNoRow) {
      row = static_cast<uint32_t>(into_.op_args.size());
      into_.op_args.emplace_back();
    }
    OpArgs& args = into_.op_args[row];
    if (args.input_dims != kEmptyString || node.input_dims == kEmptyString) return;
    args.input_dims = node.input_dims;
    args.input_types = node.input_types;
    into_.facts.has_shapes = true;
  }

  void FindWriters() {
    for (size_t i = 0; i < from_.nodes.size(); ++i) {
      for (const ExecutionTrace::Tensor& tensor : from_.nodes[i].outputs.tensors) {
        writers_[tensor.id].push_back(static_cast<uint32_t>(i));
      }
    }
    for (auto& [tensor, nodes] : writers_) {
      std::ranges::sort(nodes, {}, [&](uint32_t i) { return from_.nodes[i].id; });
    }
  }

  bool IsInside(uint32_t node, uint32_t outer) const {
    // Parents of a damaged file may form a circle.
    for (size_t depth = 0; depth < kDeepest && node != kNoRow; ++depth) {
      if (node == outer) return true;
      node = rows_.nodes[node].parent;
    }
    return false;
  }

  // Ids are given when calls begin, so the last writer before a call is the one with the largest
  // id below that of the call, calls around it left out.
  uint32_t WriterBefore(uint32_t reader, uint64_t tensor) const {
    const auto written = writers_.find(tensor);
    if (written == writers_.end()) return kNoRow;
    const uint64_t id = from_.nodes[reader].id;
    const auto id_of = [&](uint32_t i) { return from_.nodes[i].id; };
    auto at = std::ranges::lower_bound(written->second, id, {}, id_of);
    while (at != written->second.begin()) {
      --at;
      if (!IsInside(reader, *at)) return *at;
    }
    return kNoRow;
  }

  void AddUses(uint32_t reader) {
    for (const ExecutionTrace::Tensor& tensor : from_.nodes[reader].inputs.tensors) {
      rows_.tensors.push_back({.node = reader,
                               .writer = WriterBefore(reader, tensor.id),
                               .tensor = tensor.id,
                               .storage = tensor.storage,
                               .bytes = tensor.bytes,
                               .device = Keep(tensor.device)});
    }
  }

  static constexpr size_t kDeepest = 1000;
  const ExecutionTrace& from_;
  const Functions& functions_;
  Trace& into_;
  ExecutionRows& rows_;
  std::unordered_map<uint64_t, uint32_t> row_of_;
  std::unordered_map<uint64_t, std::vector<uint32_t>> writers_;
};

// The profile that an execution trace fits best; the number of profiles where it fits none.
size_t BestFit(const ExecutionTrace& execution, const std::vector<Functions>& functions,
               const std::vector<Trace>& traces, const std::vector<ExecutionRows>& joined) {
  size_t best = traces.size();
  std::pair<size_t, bool> best_fit{0, false};
  for (size_t i = 0; i < traces.size(); ++i) {
    if (!joined[i].nodes.empty()) continue;
    const std::pair fit{functions[i].Matches(execution), IsOfProcess(traces[i], execution.pid)};
    if (fit.first == 0 || (best < traces.size() && fit <= best_fit)) continue;
    best = i;
    best_fit = fit;
  }
  return best;
}

}  // namespace

std::vector<ExecutionRows> JoinExecutionTraces(const std::vector<std::string>& paths,
                                               Profile& profile) {
  std::vector<ExecutionRows> joined(profile.traces.size());
  if (paths.empty() || joined.empty()) return joined;
  std::vector<Functions> functions;
  functions.reserve(joined.size());
  for (const Trace& trace : profile.traces) functions.emplace_back(trace);
  const auto skip = [&](const std::string& path, const Messages& why) {
    profile.diagnostics.front().Add(Diagnostic::kFileSkipped, 1, std::nullopt,
                                    Say("quality.of-file", path, why));
  };
  for (const std::string& path : paths) {
    const Result<ExecutionTrace> execution = ReadExecutionTrace(path);
    if (!execution) {
      skip(path, execution.error().sentence);
      continue;
    }
    const size_t best = BestFit(*execution, functions, profile.traces, joined);
    if (best == joined.size()) {
      skip(path, Say("quality.execution-not-joined"));
      continue;
    }
    Joining(*execution, functions[best], profile.traces[best], joined[best]).Run();
    profile.traces[best].other_paths.push_back(path);
    if (execution->cut)
      profile.diagnostics[best].Add(Diagnostic::kFileTruncated, 1, std::nullopt, path);
  }
  return joined;
}

}  // namespace stepscope
