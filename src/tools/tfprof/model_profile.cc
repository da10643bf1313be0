// A model to and from tfprof's own file.
#include <algorithm>
#include <map>

#include "tools/tfprof/model.h"

namespace stepscope::tfprof {
namespace {

// Where the host side of an op runs: the same place, with the first CPU for a GPU.
std::string HostDeviceOf(std::string_view device) {
  std::string host;
  for (size_t at = 0; at < device.size();) {
    size_t digits = at + 4;
    if (device.substr(at).starts_with("gpu:")) {
      while (digits < device.size() && device[digits] >= '0' && device[digits] <= '9') ++digits;
    }
    if (digits > at + 4) {
      host += "cpu:0";
      at = digits;
    } else {
      host += device[at++];
    }
  }
  return host;
}

int64_t SumOf(const std::vector<TimedRun>& runs) {
  uint64_t sum = 0;
  for (const TimedRun& run : runs) sum += static_cast<uint64_t>(run.micros);
  return static_cast<int64_t>(sum);
}

std::vector<TimedRun> RunsOf(const std::vector<ExecTimes>& times, StringTable& strings) {
  std::vector<TimedRun> runs;
  for (const ExecTimes& device : times) {
    const StringId id = strings.Intern(device.device);
    for (const auto& [start, micros] : device.times) runs.push_back({id, start, micros});
  }
  return runs;
}

std::vector<ExecTimes> TimesOf(const std::vector<TimedRun>& runs, const StringTable& strings) {
  std::map<std::string_view, ExecTimes> by_device;
  for (const TimedRun& run : runs) {
    ExecTimes& times = by_device[strings[run.device]];
    times.device = strings[run.device];
    times.times.emplace_back(run.start, run.micros);
  }
  std::vector<ExecTimes> list;
  for (auto& [device, times] : by_device) list.push_back(std::move(times));
  return list;
}

NodeRun RunOfProfile(int64_t step, const ExecProfile& exec, StringTable& strings) {
  NodeRun run;
  run.step = step;
  run.run_count = exec.run_count;
  run.all_start = exec.all_start_micros;
  run.latest_end = exec.latest_end_micros;
  run.accelerator = RunsOf(exec.accelerator, strings);
  run.cpu = RunsOf(exec.cpu, strings);
  run.accelerator_micros = SumOf(run.accelerator);
  run.cpu_micros = SumOf(run.cpu);
  for (const std::string_view device : exec.devices) run.devices.push_back(strings.Intern(device));
  run.memory = exec.memory;
  run.allocations = exec.allocations;
  Stats totals;
  for (const ExecMemory& memory : exec.memory) {
    Stats one;
    one.requested_bytes = memory.requested_bytes;
    one.peak_bytes = memory.peak_bytes;
    one.residual_bytes = memory.residual_bytes;
    one.output_bytes = memory.output_bytes;
    one.micros = memory.accelerator_persistent_bytes;
    totals += one;
  }
  run.requested_bytes = totals.requested_bytes;
  run.peak_bytes = totals.peak_bytes;
  run.residual_bytes = totals.residual_bytes;
  run.output_bytes = totals.output_bytes;
  run.accelerator_persistent_bytes = totals.micros;
  return run;
}

ExecProfile ProfileOfRun(const NodeRun& run, const StringTable& strings) {
  ExecProfile exec;
  exec.run_count = run.run_count;
  exec.all_start_micros = run.all_start;
  exec.latest_end_micros = run.latest_end;
  exec.accelerator = TimesOf(run.accelerator, strings);
  exec.cpu = TimesOf(run.cpu, strings);
  for (const StringId device : run.devices) exec.devices.push_back(strings[device]);
  std::sort(exec.devices.begin(), exec.devices.end());
  exec.memory = run.memory;
  exec.allocations = run.allocations;
  return exec;
}

}  // namespace

void Model::SetProfile(std::shared_ptr<const ProfileProto> profile) {
  for (const StringById& string : profile->strings) {
    if (log_string_by_id_.emplace(string).second) log_strings_.push_back(string);
  }
  std::map<int64_t, int32_t> by_id;
  for (const ProfileNode& stored : profile->nodes) {
    if (FindNode(stored.name) != kNoNode) continue;
    const int32_t index = AddNode(stored.name, stored.op);
    by_id.emplace(stored.id, index);
    Node& node = NodeAt(index);
    node.id = stored.id;
    node.types.clear();
    for (const std::string_view type : stored.op_types) AddType(node, type);
    node.shape = stored.shape;
    node.device = strings_.Intern(stored.canonical_device);
    node.static_float_ops = stored.float_ops;
    node.attrs = stored.attrs;
    node.stored_output_shapes = stored.output_shapes;
    AddFrames(node, stored.frames);
    for (const auto& [step, exec] : stored.execs) {
      node.runs.push_back(RunOfProfile(step, exec, strings_));
    }
    std::stable_sort(node.runs.begin(), node.runs.end(),
                     [](const NodeRun& a, const NodeRun& b) { return a.step < b.step; });
  }
  for (const ProfileNode& stored : profile->nodes) {
    Node& node = NodeAt(FindNode(stored.name));
    if (node.id != stored.id) continue;
    for (const auto& [input, id] : stored.inputs) {
      const auto source = by_id.find(id);
      int32_t output = 0;
      for (const auto& [source_id, index] : stored.source_output) {
        if (source_id == id) output = index;
      }
      node.inputs.push_back({input, source == by_id.end() ? kNoNode : source->second, output});
    }
    std::sort(node.inputs.begin(), node.inputs.end(),
              [](const NodeInput& a, const NodeInput& b) { return a.index < b.index; });
  }
  has_code_ = profile->has_trace;
  steps_.insert(profile->steps.begin(), profile->steps.end());
  owners_.push_back(std::move(profile));
}

ProfileProto Model::ToProfile() const {
  ProfileProto profile;
  auto hosts = std::make_shared<std::map<StringId, std::string>>();
  for (const Node& node : nodes_) {
    ProfileNode& stored = profile.nodes.emplace_back();
    stored.id = node.id;
    stored.name = node.name;
    stored.op = node.op;
    for (const NodeInput& input : node.inputs) {
      if (input.node == kNoNode) continue;
      const int64_t id = nodes_[static_cast<size_t>(input.node)].id;
      stored.inputs.emplace_back(input.index, id);
      const std::pair<int64_t, int32_t> source{id, input.output};
      if (std::find(stored.source_output.begin(), stored.source_output.end(), source) ==
          stored.source_output.end()) {
        stored.source_output.push_back(source);
      }
    }
    stored.shape = node.shape;
    for (const StringId type : node.types) stored.op_types.push_back(strings_[type]);
    stored.canonical_device = strings_[node.device];
    stored.host_device =
        hosts->emplace(node.device, HostDeviceOf(strings_[node.device])).first->second;
    stored.float_ops = node.static_float_ops;
    for (const Frame& frame : FramesOf(node)) {
      stored.frames.push_back({frame.line, frame.function_start, frame.file_id, frame.function_id,
                               frame.text_id, strings_[frame.file], strings_[frame.function]});
    }
    stored.attrs.assign(node.attrs.begin(), node.attrs.end());
    for (const NodeRun& run : node.runs) {
      stored.execs.emplace_back(run.step, ProfileOfRun(run, strings_));
    }
    stored.output_shapes = node.stored_output_shapes;
    const auto shapes = ShapesAttr(node.attrs, "_output_shapes");
    for (size_t i = 0; shapes && stored.output_shapes.size() < shapes->size(); ++i) {
      stored.output_shapes.emplace_back(static_cast<int32_t>(i),
                                        OutputShape(node, static_cast<int32_t>(i)));
    }
  }
  profile.has_trace = has_code_;
  profile.miss_accelerator_stream = misses_accelerator_stream_;
  profile.steps.assign(steps_.begin(), steps_.end());
  profile.strings = log_strings_;
  profile.owner = std::move(hosts);
  return profile;
}

}  // namespace stepscope::tfprof
