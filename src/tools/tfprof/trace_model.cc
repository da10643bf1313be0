#include "tools/tfprof/trace_model.h"

#include <fmt/core.h>

#include <algorithm>
#include <charconv>
#include <unordered_map>
#include <utility>

#include "tools/tfprof/data_flow.h"

namespace stepscope::tfprof {
namespace {

constexpr std::string_view kNoOp = "(no op)";

bool IsOp(Kind kind) { return kind == Kind::kOp || kind == Kind::kInput; }

int64_t Micros(int64_t ns) { return (ns + 500) / 1000; }

// "train.py(31): forward" and "torch/nn/modules/module.py(1501): _call_impl".
CodeFrame FrameOf(std::string_view name) {
  CodeFrame frame;
  const size_t open = name.rfind('(', name.find("): "));
  const size_t close = name.find("): ");
  if (close == std::string_view::npos || open == std::string_view::npos || open > close) {
    frame.function = name;
    return frame;
  }
  frame.file = name.substr(0, open);
  std::from_chars(name.data() + open + 1, name.data() + close, frame.line);
  frame.function = name.substr(close + 3);
  return frame;
}

// What an op's name says of its place and type: "scope/node:Type" of TensorFlow, else the name
// itself.
struct OpName {
  std::string_view scope;
  std::string_view leaf;
  std::string_view type;
};
OpName Split(std::string_view name, bool tensorflow) {
  OpName op{{}, name, name};
  if (!tensorflow) return op;
  if (const size_t colon = name.rfind(':'); colon != std::string_view::npos && colon > 0) {
    op.type = name.substr(colon + 1);
    op.leaf = name.substr(0, colon);
  }
  if (const size_t slash = op.leaf.rfind('/'); slash != std::string_view::npos) {
    op.scope = op.leaf.substr(0, slash);
    op.leaf = op.leaf.substr(slash + 1);
  }
  return op;
}

class Builder {
 public:
  Builder(const Trace& trace, const Links& links, const Steps& steps, const HloGraph& hlo,
          ViewKind kind)
      : trace_(trace),
        links_(links),
        steps_(steps),
        hlo_graph_(hlo),
        kind_(kind),
        tensorflow_(trace.facts.framework == "TensorFlow" || trace.facts.framework == "JAX") {}

  Model Build() {
    node_of_slice_.assign(trace_.slices.size(), kNoNode);
    FindScopes();
    MeasureDevice();
    for (const Track& track : trace_.tracks) {
      for (uint32_t row = track.slices.first; row < track.slices.last; ++row) {
        if (IsOp(trace_.slices.kind[row])) AddOp(row);
      }
    }
    for (uint32_t row = 0; row < trace_.device_args.size(); ++row) AddDeviceWork(row);
    AddMemory();
    if (IsGraph()) Connect();
    if (folded_ > 0) {
      model_.AddNote(
          fmt::format("{} spans nest deeper than {} levels; they are counted at that level",
                      folded_, kDeepest));
    }
    std::vector<Column> absent{Column::kParams,        Column::kFloatOps,    Column::kPeakBytes,
                               Column::kResidualBytes, Column::kOutputBytes, Column::kTensorValue};
    if (!model_.saw_shapes()) absent.push_back(Column::kInputShapes);
    if (!trace_.facts.has_memory) absent.push_back(Column::kBytes);
    if (trace_.device_args.empty()) absent.push_back(Column::kAcceleratorMicros);
    model_.FinishObserved(absent, kind_ == ViewKind::kCode && has_frames_);
    return std::move(model_);
  }

 private:
  bool IsGraph() const { return kind_ == ViewKind::kGraph; }

  void Connect() {
    if (AddDataFlow(trace_, links_, hlo_graph_, node_of_slice_, model_) == 0) {
      model_.AddNote("this profile records no data flow: every node stands for itself");
    }
    if (hlo_graph_.ambiguous > 0) {
      model_.AddNote(
          fmt::format("{} XLA instructions have the same name in several modules and other "
                      "operands in each; they are shown without inputs",
                      hlo_graph_.ambiguous));
    }
  }

  int64_t StepAt(TimeNs time) const {
    const auto after =
        std::upper_bound(steps_.items.begin(), steps_.items.end(), time,
                         [](TimeNs wanted, const Step& step) { return wanted < step.start; });
    if (after == steps_.items.begin()) return 0;
    return std::prev(after)->number;
  }

  // Device time that each op's own launches started.
  void MeasureDevice() {
    device_ns_.assign(trace_.slices.size(), 0);
    if (IsGraph()) return;  // there it has nodes of its own
    for (uint32_t row = 0; row < trace_.device_args.size(); ++row) {
      const SliceId op = row < links_.op_of.size() ? links_.op_of[row] : kNoSlice;
      const uint32_t work = trace_.device_args[row].slice;
      if (op == kNoSlice || work == kNoRow) continue;
      device_ns_[Index(op)] += trace_.slices.duration[work].ns;
    }
  }

  // Whether a span is a level of the names of spans inside it.
  bool IsScope(Kind kind) const {
    if (kind_ == ViewKind::kCode) return kind == Kind::kPythonFrame || kind == Kind::kModuleFrame;
    return kind == Kind::kModuleFrame || (IsOp(kind) && !tensorflow_);
  }

  // For each span the scope and the op next around it, and how many scopes there are: parents come
  // before their children, so one pass finds all.
  void FindScopes() {
    const size_t size = trace_.slices.size();
    scope_.assign(size, kNoSlice);
    op_around_.assign(size, kNoSlice);
    depth_.assign(size, 0);
    innermost_shown_.assign(size, kNoSlice);
    for (uint32_t i = 0; i < size; ++i) {
      const SliceId parent = trace_.slices.parent[i];
      if (parent == kNoSlice) continue;
      const Kind kind = trace_.slices.kind[Index(parent)];
      const bool scope = IsScope(kind);
      scope_[i] = scope ? parent : scope_[Index(parent)];
      depth_[i] = depth_[Index(parent)] + (scope ? 1 : 0);
      op_around_[i] = IsOp(kind) ? parent : op_around_[Index(parent)];
      innermost_shown_[i] = depth_[i] <= kDeepest ? scope_[i] : innermost_shown_[Index(parent)];
    }
  }

  // The op's time without that of ops inside it.
  int64_t SelfNs(uint32_t row) {
    if (self_ns_.empty()) {
      self_ns_.resize(trace_.slices.size());
      for (uint32_t i = 0; i < trace_.slices.size(); ++i) {
        if (!IsOp(trace_.slices.kind[i])) continue;
        self_ns_[i] += trace_.slices.duration[i].ns;
        const SliceId parent = op_around_[i];
        if (parent != kNoSlice) self_ns_[Index(parent)] -= trace_.slices.duration[i].ns;
      }
    }
    return std::max<int64_t>(self_ns_[row], 0);
  }

  // Modules and ops around a span, outermost first, or its Python frames.
  std::string ScopeOf(uint32_t row, std::vector<CodeFrame>& frames) {
    std::vector<std::string_view> parts;
    for (SliceId at = innermost_shown_[row]; at != kNoSlice; at = scope_[Index(at)]) {
      const std::string_view name = trace_.Name(Index(at));
      if (kind_ == ViewKind::kCode) {
        frames.push_back(FrameOf(name));
      } else {
        parts.push_back(name);
      }
    }
    std::reverse(frames.begin(), frames.end());
    std::string scope;
    for (auto it = parts.rbegin(); it != parts.rend(); ++it) {
      scope += *it;
      scope += '/';
    }
    return scope;
  }

  // A name holds the names of all scopes around it, so names of deep nests would take memory with
  // the square of their depth. What lies deeper than this counts for the op around it.
  static constexpr uint32_t kDeepest = 256;

  void AddOp(uint32_t row) {
    if (depth_[row] > kDeepest && kind_ != ViewKind::kCode && AddToOpAround(row)) return;
    const OpName op = Split(trace_.Name(row), tensorflow_);
    std::vector<CodeFrame> frames;
    std::string name = ScopeOf(row, frames);
    if (kind_ == ViewKind::kCode && frames.empty()) frames = RecordedStack(row);
    if (!op.scope.empty()) name += std::string(op.scope) + "/";
    name += op.leaf;
    if (IsGraph() && hlo_graph_.Knows(trace_.Name(row))) name = trace_.Name(row);
    if (kind_ == ViewKind::kCode) {
      for (const CodeFrame& frame : frames) {
        name += '\n';
        name += frame.file;
        name += ':' + std::to_string(frame.line);
        name += frame.function;
      }
    }
    has_frames_ |= !frames.empty();
    const int32_t node = model_.ObservedNode(name, op.type, "host", frames);
    Model::ObservedTimes times;
    times.start = Micros(trace_.slices.start[row].ns);
    times.span = Micros(trace_.slices.duration[row].ns);
    times.cpu_micros = Micros(SelfNs(row));
    times.accelerator_micros = Micros(device_ns_[row]);
    times.runs = 1;
    if (const uint32_t args = trace_.slices.args[row]; args != kNoRow) {
      times.input_shapes = trace_.strings[trace_.op_args[args].input_dims];
    }
    model_.AddObserved(node, StepAt(trace_.slices.start[row]), times);
    node_of_slice_[row] = node;
  }

  bool AddToOpAround(uint32_t row) {
    const SliceId around = op_around_[row];
    const int32_t node = around == kNoSlice ? kNoNode : node_of_slice_[Index(around)];
    if (node == kNoNode) return false;
    Model::ObservedTimes times;
    times.start = Micros(trace_.slices.start[row].ns);
    times.cpu_micros = Micros(SelfNs(row));
    times.accelerator_micros = Micros(device_ns_[row]);
    times.runs = 1;
    model_.AddObserved(node, StepAt(trace_.slices.start[row]), times);
    node_of_slice_[row] = node;
    ++folded_;
    return true;
  }

  // "frame;frame" with the innermost first or last, as the file has it.
  std::vector<CodeFrame> RecordedStack(uint32_t row) const {
    const uint32_t args = trace_.slices.args[row];
    if (args == kNoRow || trace_.op_args[args].stack == kEmptyString) return {};
    std::string_view stack = trace_.strings[trace_.op_args[args].stack];
    std::vector<CodeFrame> frames;
    while (!stack.empty()) {
      const std::string_view part = stack.substr(0, stack.find(';'));
      frames.push_back(FrameOf(part));
      stack.remove_prefix(std::min(stack.size(), part.size() + 1));
    }
    std::reverse(frames.begin(), frames.end());
    return frames;
  }

  // Device work that no op launched: under the op it names itself, or by its own name. In the graph
  // all of it: an XLA instruction, or the kernel by its name.
  void AddDeviceWork(uint32_t row) {
    const uint32_t work = trace_.device_args[row].slice;
    if (work == kNoRow || !IsDeviceWork(trace_.slices.kind[work])) return;
    const bool owned = row < links_.op_of.size() && links_.op_of[row] != kNoSlice;
    if (owned && !IsGraph()) return;
    const auto [name, type] = IsGraph() ? GraphNameOf(row) : ScopeNameOf(row);
    const int32_t node = model_.ObservedNode(name, type, "device", {});
    Model::ObservedTimes times;
    times.start = Micros(trace_.slices.start[work].ns);
    times.accelerator_micros = Micros(trace_.slices.duration[work].ns);
    times.runs = 1;
    model_.AddObserved(node, StepAt(trace_.slices.start[work]), times);
    node_of_slice_[work] = node;
  }

  std::pair<std::string, std::string_view> ScopeNameOf(uint32_t row) {
    const std::string_view work = trace_.Name(trace_.device_args[row].slice);
    const std::string_view op = trace_.strings[trace_.device_args[row].op];
    if (op.empty()) return {std::string(kNoOp) + "/" + std::string(work), work};
    std::string name = HloName(op);
    if (name.empty()) name = op;
    return {name, Split(op, tensorflow_).type};
  }

  std::pair<std::string, std::string_view> GraphNameOf(uint32_t row) const {
    const std::string_view work = trace_.Name(trace_.device_args[row].slice);
    const std::string_view op = trace_.strings[trace_.device_args[row].op];
    const std::string_view name = !op.empty() && hlo_graph_.Knows(op) ? op : work;
    return {std::string(name), name};
  }

  // JAX's call path of an XLA instruction: "jit(step)/transpose(jvp(f))/dot_general".
  std::string HloName(std::string_view op) {
    if (hlo_.empty()) {
      for (const HloOp& each : trace_.hlo_ops) {
        hlo_.emplace(trace_.strings[each.name], trace_.strings[each.op_name]);
      }
    }
    const auto found = hlo_.find(op);
    return found == hlo_.end() ? std::string() : std::string(found->second);
  }

  void AddMemory() {
    if (!trace_.facts.has_memory) return;
    for (const Allocation& allocation : trace_.allocations) {
      if (allocation.bytes <= 0 || allocation.track == kNoTrack) continue;
      const SliceId op = InnermostAt(trace_, allocation.track, allocation.time,
                                     [](Kind kind) { return IsOp(kind); });
      const int32_t node = op == kNoSlice ? kNoNode : node_of_slice_[Index(op)];
      if (node == kNoNode) continue;
      Model::ObservedTimes times;
      times.bytes = allocation.bytes;
      model_.AddObserved(node, StepAt(trace_.slices.start[Index(op)]), times);
    }
  }

  const Trace& trace_;
  const Links& links_;
  const Steps& steps_;
  const HloGraph& hlo_graph_;
  const ViewKind kind_;
  const bool tensorflow_;
  Model model_;
  std::vector<int64_t> device_ns_;
  std::vector<int64_t> self_ns_;
  std::vector<int32_t> node_of_slice_;
  std::unordered_map<std::string_view, std::string_view> hlo_;
  bool has_frames_ = false;
  std::vector<SliceId> scope_, op_around_;
  std::vector<SliceId> innermost_shown_;  // of the scopes around it
  std::vector<uint32_t> depth_;
  uint64_t folded_ = 0;
};

}  // namespace

Model ModelOfTrace(const Trace& trace, const Links& links, const Steps& steps, const HloGraph& hlo,
                   ViewKind kind) {
  return Builder(trace, links, steps, hlo, kind).Build();
}

}  // namespace stepscope::tfprof
