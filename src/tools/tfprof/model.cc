#include "tools/tfprof/model.h"

#include <algorithm>

namespace stepscope::tfprof {
namespace {

std::string LowerCase(std::string_view text) {
  std::string lower(text);
  std::transform(lower.begin(), lower.end(), lower.begin(),
                 [](char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c + 32) : c; });
  return lower;
}

// Graph files can claim any shape; a product past 64 bits wraps, as it does in tfprof.
int64_t WrappingProduct(int64_t a, int64_t b) {
  return static_cast<int64_t>(static_cast<uint64_t>(a) * static_cast<uint64_t>(b));
}
int64_t WrappingSum(int64_t a, int64_t b) {
  return static_cast<int64_t>(static_cast<uint64_t>(a) + static_cast<uint64_t>(b));
}

int64_t ParametersOf(std::span<const int64_t> shape) {
  if (shape.empty()) return 0;
  int64_t product = 1;
  for (const int64_t dim : shape) {
    if (dim < 0) return 0;
    product = WrappingProduct(product, dim);
  }
  return product;
}

std::vector<int64_t> DimsOf(const TensorShape& shape) {
  if (shape.dims.empty() && !shape.unknown_rank) return {1};
  return shape.dims;
}

// tfprof divides by an unsigned count, which turns a negative sum into a huge number.
int64_t Average(int64_t sum, size_t count) {
  return static_cast<int64_t>(static_cast<uint64_t>(sum) / count);
}

NodeRun& RunAt(Node& node, int64_t step, size_t steps) {
  if (node.runs.empty()) node.runs.reserve(steps);
  const auto at =
      std::lower_bound(node.runs.begin(), node.runs.end(), step,
                       [](const NodeRun& run, int64_t wanted) { return run.step < wanted; });
  if (at != node.runs.end() && at->step == step) return *at;
  NodeRun run;
  run.step = step;
  return *node.runs.insert(at, std::move(run));
}

void AddDevice(NodeRun& run, StringId device) {
  if (std::find(run.devices.begin(), run.devices.end(), device) == run.devices.end()) {
    run.devices.push_back(device);
  }
}

void AddTime(NodeRun& run, StringId device, bool kernels, bool ops, const NodeExecStats& stats) {
  AddDevice(run, device);
  if (stats.all_start_micros <= 0) return;
  run.all_start =
      run.all_start > 0 ? std::min(run.all_start, stats.all_start_micros) : stats.all_start_micros;
  // An op too short to measure counts as one microsecond.
  const int64_t micros = stats.op_end_rel_micros == 0 ? 1 : stats.op_end_rel_micros;
  run.latest_end = std::max(run.latest_end, WrappingSum(stats.all_start_micros, micros));
  if (kernels) {
    run.accelerator.push_back({device, stats.all_start_micros, micros});
    run.accelerator_micros = WrappingSum(run.accelerator_micros, micros);
  } else if (ops) {
    run.cpu.push_back({device, stats.all_start_micros, micros});
    run.cpu_micros = WrappingSum(run.cpu_micros, micros);
    ++run.run_count;
  }
}

void AddToTotals(NodeRun& run, const ExecMemory& memory) {
  run.requested_bytes = WrappingSum(run.requested_bytes, memory.requested_bytes);
  run.peak_bytes = WrappingSum(run.peak_bytes, memory.peak_bytes);
  run.residual_bytes = WrappingSum(run.residual_bytes, memory.residual_bytes);
  run.output_bytes = WrappingSum(run.output_bytes, memory.output_bytes);
  run.accelerator_persistent_bytes =
      WrappingSum(run.accelerator_persistent_bytes, memory.accelerator_persistent_bytes);
}

void SetOutput(ExecMemory& memory, int32_t slot, int64_t bytes, uint64_t address) {
  for (ExecMemory::Output& output : memory.outputs) {
    if (output.slot == slot) {
      output = {slot, bytes, address};
      return;
    }
  }
  memory.outputs.push_back({slot, bytes, address});
}

void AddMemory(NodeRun& run, std::string_view device, const NodeExecStats& stats) {
  ExecMemory memory;
  memory.micros = WrappingSum(stats.all_start_micros, stats.op_end_rel_micros);
  for (const AllocatorMemory& allocator : stats.memory) {
    memory.residual_bytes = WrappingSum(memory.residual_bytes, allocator.live_bytes);
    memory.requested_bytes = WrappingSum(memory.requested_bytes, allocator.total_bytes);
    memory.peak_bytes = WrappingSum(memory.peak_bytes, allocator.peak_bytes);
    // Only GPU allocators are followed over time.
    if (allocator.allocator.find("GPU") == std::string_view::npos) continue;
    memory.bytes_in_use = std::max(memory.bytes_in_use, allocator.bytes_in_use);
    run.allocations.insert(run.allocations.end(), allocator.records.begin(),
                           allocator.records.end());
  }
  for (const NodeOutput& output : stats.outputs) {
    if (!output.has_allocation) continue;
    const int64_t bytes =
        std::max(output.allocation.allocated_bytes, output.allocation.requested_bytes);
    memory.output_bytes = WrappingSum(memory.output_bytes, bytes);
    SetOutput(memory, output.slot, bytes, output.allocation.address);
  }
  const NodeMemory& node = stats.node_memory;
  if (IsOnHost(device)) {
    memory.host_temp_bytes = node.temp_bytes;
    memory.host_persistent_bytes = node.persistent_bytes;
  } else {
    memory.accelerator_temp_bytes = node.temp_bytes;
    memory.accelerator_persistent_bytes = node.persistent_bytes;
  }
  const int64_t both = WrappingSum(node.persistent_bytes, node.temp_bytes);
  memory.residual_bytes = WrappingSum(memory.residual_bytes, node.persistent_bytes);
  memory.requested_bytes = WrappingSum(memory.requested_bytes, both);
  memory.peak_bytes = WrappingSum(memory.peak_bytes, both);
  AddToTotals(run, memory);
  run.memory.push_back(std::move(memory));
}

}  // namespace

bool IsOpDevice(std::string_view device) {
  size_t end = device.size();
  while (end > 0 && device[end - 1] >= '0' && device[end - 1] <= '9') --end;
  if (end == device.size() || end == 0 || device[end - 1] != ':') return false;
  std::string_view type = device.substr(0, end - 1);
  if (!type.ends_with("gpu") && !type.ends_with("cpu")) return false;
  type.remove_suffix(3);
  return type.ends_with("/") || type.ends_with("/device:");
}

bool IsKernelDevice(std::string_view device) {
  return device.find("stream:all") != std::string_view::npos;
}
bool IsOnAccelerator(std::string_view device) {
  return device.find("gpu") != std::string_view::npos;
}
bool IsOnHost(std::string_view device) { return device.find("cpu") != std::string_view::npos; }

Stats& Stats::operator+=(const Stats& other) {
  micros = WrappingSum(micros, other.micros);
  accelerator_micros = WrappingSum(accelerator_micros, other.accelerator_micros);
  cpu_micros = WrappingSum(cpu_micros, other.cpu_micros);
  requested_bytes = WrappingSum(requested_bytes, other.requested_bytes);
  peak_bytes = WrappingSum(peak_bytes, other.peak_bytes);
  residual_bytes = WrappingSum(residual_bytes, other.residual_bytes);
  output_bytes = WrappingSum(output_bytes, other.output_bytes);
  parameters = WrappingSum(parameters, other.parameters);
  float_ops = WrappingSum(float_ops, other.float_ops);
  run_count = WrappingSum(run_count, other.run_count);
  definitions = WrappingSum(definitions, other.definitions);
  return *this;
}

const NodeRun* Node::RunOf(int64_t step) const {
  for (const NodeRun& run : runs) {
    if (run.step == step) return &run;
  }
  return nullptr;
}

int32_t Model::FindNode(std::string_view name) const {
  const auto found = by_name_.find(name);
  return found == by_name_.end() ? kNoNode : found->second;
}

int32_t Model::AddNode(std::string_view name, std::string_view op) {
  const auto index = static_cast<int32_t>(nodes_.size());
  if (!by_name_.try_emplace(name, index).second) return kNoNode;
  Node& node = nodes_.emplace_back();
  node.name = name;
  node.op = op;
  node.id = index;
  AddType(node, op);
  return index;
}

void Model::AddType(Node& node, std::string_view type) {
  const StringId id = strings_.Intern(type);
  const auto at = std::lower_bound(
      node.types.begin(), node.types.end(), type,
      [&](StringId each, std::string_view wanted) { return strings_[each] < wanted; });
  if (at == node.types.end() || *at != id) node.types.insert(at, id);
}

void Model::AddGraph(std::shared_ptr<const GraphDef> graph) {
  nodes_.reserve(nodes_.size() + graph->nodes.size());
  by_name_.reserve(nodes_.size() + graph->nodes.size());
  std::vector<const NodeDef*> added(nodes_.size(), nullptr);
  for (const NodeDef& def : graph->nodes) {
    const int32_t index = AddNode(def.name, def.op);
    if (index == kNoNode) continue;
    Node& node = NodeAt(index);
    node.attrs = def.attrs;
    if (const std::optional<TensorShape> shape = def.Shape("shape")) node.shape = DimsOf(*shape);
    added.push_back(&def);
  }
  for (size_t i = 0; i < added.size(); ++i) {
    if (added[i] != nullptr) AddInputs(nodes_[i], *added[i]);
  }
  owners_.push_back(std::move(graph));
}

void Model::AddInputs(Node& node, const NodeDef& def) {
  node.inputs.reserve(def.inputs.size());
  int32_t index = 0;
  for (std::string_view source : def.inputs) {
    source = source.substr(0, source.find(':'));
    if (source.starts_with('^')) source.remove_prefix(1);
    // The number after the colon is dropped: TensorFlow's release builds leave out the check that
    // reads it, so that every input is taken for the source's first output.
    node.inputs.push_back({index++, FindNode(source), 0});
  }
}

void Model::AddOpLog(const std::shared_ptr<const OpLog>& log) {
  for (const StringById& string : log->strings) {
    if (log_string_by_id_.emplace(string).second) log_strings_.push_back(string);
  }
  for (const OpLog::Entry& entry : log->entries) {
    const int32_t index = FindNode(entry.name);
    if (index == kNoNode) continue;
    Node& node = NodeAt(index);
    for (const std::string_view type : entry.types) AddType(node, type);
    if (entry.float_ops != 0) node.static_float_ops = entry.float_ops;
    if (!entry.has_code) continue;
    has_code_ = true;
    if (node.frame_count == 0) AddFrames(node, entry.frames);
  }
  KeepTexts(log->owner, log);
}

void Model::KeepTexts(const std::shared_ptr<const void>& file,
                      const std::shared_ptr<const void>& message) {
  owners_.push_back(file != nullptr ? file : message);
}

void Model::AddFrames(Node& node, std::span<const CodeFrame> frames) {
  const auto text = [&](std::string_view spelt, int64_t id) {
    if (!spelt.empty()) return strings_.Intern(spelt);
    const auto found = log_string_by_id_.find(id);
    return found == log_string_by_id_.end() ? kEmptyString : strings_.Intern(found->second);
  };
  node.first_frame = static_cast<uint32_t>(frames_.size());
  node.frame_count = static_cast<uint32_t>(frames.size());
  for (const CodeFrame& frame : frames) {
    frames_.push_back({frame.line, frame.function_start, text(frame.file, frame.file_id),
                       text(frame.function, frame.function_id), frame.file_id, frame.function_id,
                       frame.text_id});
  }
}

void Model::AddCheckpointVariables(std::span<const std::string> names) {
  for (const std::string& name : names) {
    const int32_t index = FindNode(name);
    if (index != kNoNode) AddType(NodeAt(index), "_checkpoint_variables");
  }
}

bool Model::AddRun(int64_t step, const std::shared_ptr<const RunMetadata>& run) {
  if (!run->has_step_stats) return false;
  steps_.insert(step);
  bool on_accelerator = false;
  bool has_kernels = false;
  for (const DeviceStepStats& device : run->devices) {
    const StringId id = strings_.Intern(LowerCase(device.device));
    const RunDevice seen{id, strings_[id], IsOpDevice(strings_[id]), IsKernelDevice(strings_[id])};
    on_accelerator |= IsOnAccelerator(seen.name);
    has_kernels |= IsOnAccelerator(seen.name) && seen.kernels;
    for (const NodeExecStats& stats : device.nodes) {
      const std::string_view name = stats.name.substr(0, stats.name.find(':'));
      int32_t index = FindNode(name);
      if (index == kNoNode) {
        // Rows of the runtime itself are in no view.
        if (name == "RecvTensor" || name == "_SOURCE" ||
            name.find("MEMCPY") != std::string_view::npos) {
          continue;
        }
        index = AddNode(name, name);
      }
      AddStats(NodeAt(index), step, seen, stats);
    }
  }
  misses_accelerator_stream_ |= on_accelerator && !has_kernels;
  KeepTexts(run->owner, run);
  return true;
}

void Model::AddStats(Node& node, int64_t step, const RunDevice& device,
                     const NodeExecStats& stats) {
  if (device.ops) {
    // A node of the same name on a second device is left out, times and memory.
    if (node.device != kEmptyString && node.device != device.id) return;
    if (node.device == kEmptyString) {
      node.device = device.id;
      AddType(node, device.name);
    }
  }
  NodeRun& run = RunAt(node, step, expected_steps_);
  AddTime(run, device.id, device.kernels, device.ops, stats);
  if (device.id != node.device) return;
  if (stats.all_start_micros > 0) {
    AddMemory(run, device.name, stats);
  } else {
    without_start_.push_back(stats.name);
  }
}

void Model::Finish() {
  std::vector<int32_t> order(nodes_.size());
  for (size_t i = 0; i < order.size(); ++i) order[i] = static_cast<int32_t>(i);
  std::sort(order.begin(), order.end(),
            [&](int32_t a, int32_t b) { return NodeAt(a).name < NodeAt(b).name; });
  std::vector<int32_t> place(nodes_.size());
  std::vector<Node> sorted;
  sorted.reserve(nodes_.size());
  for (size_t i = 0; i < order.size(); ++i) {
    place[static_cast<size_t>(order[i])] = static_cast<int32_t>(i);
    sorted.push_back(std::move(NodeAt(order[i])));
  }
  for (auto& [name, index] : by_name_) index = place[static_cast<size_t>(index)];
  nodes_ = std::move(sorted);
  for (Node& node : nodes_) {
    for (NodeInput& input : node.inputs) {
      if (input.node != kNoNode) input.node = place[static_cast<size_t>(input.node)];
    }
  }
}

Stats Model::StatsOf(const Node& node, int64_t step) const {
  Stats stats;
  stats.definitions = 1;
  stats.parameters = ParametersOf(node.shape);
  stats.float_ops = node.static_float_ops;
  if (node.runs.empty()) return stats;
  for (const NodeRun& run : node.runs) {
    if (step >= 0 && run.step != step) continue;
    Stats one;
    one.micros = run.micros();
    one.accelerator_micros = run.accelerator_micros;
    one.cpu_micros = run.cpu_micros;
    one.requested_bytes = run.requested_bytes;
    one.peak_bytes = run.peak_bytes;
    one.residual_bytes = run.residual_bytes;
    one.output_bytes = run.output_bytes;
    one.run_count = run.run_count;
    stats += one;
  }
  if (step < 0) {
    const size_t count = node.runs.size();
    for (int64_t* value :
         {&stats.micros, &stats.accelerator_micros, &stats.cpu_micros, &stats.requested_bytes,
          &stats.peak_bytes, &stats.residual_bytes, &stats.output_bytes, &stats.run_count}) {
      *value = Average(*value, count);
    }
  }
  stats.float_ops = WrappingProduct(node.static_float_ops, stats.run_count);
  return stats;
}

std::vector<int64_t> Model::OutputShape(const Node& node, int32_t output) const {
  for (const auto& [index, shape] : node.stored_output_shapes) {
    if (index == output) return shape;
  }
  const std::optional<std::vector<TensorShape>> shapes = ShapesAttr(node.attrs, "_output_shapes");
  if (!shapes || output < 0 || static_cast<size_t>(output) >= shapes->size()) return {};
  return DimsOf((*shapes)[static_cast<size_t>(output)]);
}

std::vector<int64_t> Model::InputShape(const NodeInput& input) const {
  if (input.node == kNoNode) return {};
  return OutputShape(nodes_[static_cast<size_t>(input.node)], input.output);
}

bool Model::InTimeline(const Node& node, int64_t step) const {
  const NodeRun* run = node.RunOf(step);
  return run != nullptr && run->all_start != 0 && node.device != kEmptyString;
}

}  // namespace stepscope::tfprof
