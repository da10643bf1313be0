#include "tools/tfprof/tfprof_timeline.h"

#include <algorithm>
#include <map>
#include <set>

#include "tools/tfprof/tfprof_events.h"

namespace stepscope::tfprof {
namespace {

constexpr int64_t kCounterSpacing = 100;  // microseconds between points, to keep files small

// Runs of a node on one device, in file order.
using DeviceRuns = std::map<std::string_view, std::vector<TimedRun>>;

void AddRuns(const Model& model, const std::vector<TimedRun>& runs, DeviceRuns& by_device) {
  for (const TimedRun& run : runs) by_device[model.Text(run.device)].push_back(run);
}

struct Op {
  uint32_t row = 0;
  int64_t start = 0;
  int64_t micros = 0;
  int64_t pid = 0;
  int64_t lane = 0;
  std::vector<Op*> consumers;  // on other devices
};

struct DeviceMemory {
  std::map<std::string_view, std::map<int64_t, int64_t>> bytes_of_node;  // time, bytes held
  std::map<int64_t, int64_t> in_use;                                     // time, the allocator's
};

class Builder {
 public:
  Builder(const Model& model, const View& view, int64_t step)
      : model_(model), view_(view), step_(step) {}

  GraphTimeline Build() {
    std::vector<uint32_t> stack(view_.Root().shown_children.rbegin(),
                                view_.Root().shown_children.rend());
    while (!stack.empty()) {
      const uint32_t row = stack.back();
      stack.pop_back();
      const std::vector<uint32_t>& children = view_.nodes[row].shown_children;
      stack.insert(stack.end(), children.rbegin(), children.rend());
      AddNode(row);
    }
    ConnectDevices();
    AssignLanes();
    WriteOps();
    GraphTimeline timeline;
    WriteMemory(timeline);
    timeline.json = events_.Write();
    return timeline;
  }

 private:
  const Node& NodeOf(uint32_t row) const {
    return model_.nodes()[static_cast<size_t>(view_.nodes[row].node)];
  }

  void AddNode(uint32_t row) {
    const Node& node = NodeOf(row);
    if (!model_.InTimeline(node, step_)) return;
    const NodeRun& run = *node.RunOf(step_);
    TrackMemory(node, run);
    DeviceRuns by_device;
    AddRuns(model_, run.accelerator, by_device);
    AddRuns(model_, run.cpu, by_device);
    for (const auto& [device, runs] : by_device) {
      const auto [process, added] = pids_.try_emplace(device, next_pid_);
      if (added) {
        ++next_pid_;
        const bool kernels = device.find("stream") != std::string_view::npos;
        events_.Process(std::string(kernels ? "Op execution threads: " : "Op scheduling threads: ")
                            .append(device),
                        process->second);
      }
      for (const TimedRun& each : runs) {
        ops_[device].try_emplace(each.start,
                                 Op{row, each.start, each.micros, process->second, 0, {}});
      }
    }
  }

  void TrackMemory(const Node& node, const NodeRun& run) {
    DeviceMemory& memory = memory_[model_.Text(node.device)];
    int64_t persistent = 0;
    for (const NodeRun& each : node.runs) {
      persistent = std::max(persistent, each.accelerator_persistent_bytes);
    }
    std::map<int64_t, int64_t> changes;
    for (const AllocationRecord& record : run.allocations) changes[record.micros] += record.bytes;
    changes[0] += persistent;
    int64_t held = 0;
    std::map<int64_t, int64_t>& bytes = memory.bytes_of_node[node.name];
    for (const auto& [time, change] : changes) bytes[time] = held += change;
    for (const ExecMemory& each : run.memory) {
      if (each.micros > 0) memory.in_use[each.micros] = each.bytes_in_use;
    }
  }

  // Arrows only between devices.
  void ConnectDevices() {
    for (auto& [device, ops] : ops_) {
      if (!IsOpDevice(device)) continue;
      for (auto& [start, op] : ops) {
        for (const uint32_t input : view_.nodes[op.row].children) {
          if (!view_.nodes[input].accounted || !model_.InTimeline(NodeOf(input), step_)) continue;
          ConnectInput(NodeOf(input), device, op);
        }
      }
    }
  }

  void ConnectInput(const Node& input, std::string_view device, Op& op) {
    DeviceRuns by_device;
    AddRuns(model_, input.RunOf(step_)->cpu, by_device);
    for (const auto& [source, runs] : by_device) {
      if (source == device || !IsOpDevice(source)) continue;
      const auto sources = ops_.find(source);
      if (sources == ops_.end()) continue;
      for (const TimedRun& run : runs) {
        const auto found = sources->second.find(run.start);
        if (found != sources->second.end()) found->second.consumers.push_back(&op);
      }
    }
  }

  // The first lane whose last op has ended.
  void AssignLanes() {
    for (auto& [device, ops] : ops_) {
      std::vector<int64_t> ends;
      for (auto& [start, op] : ops) {
        const auto lane =
            std::find_if(ends.begin(), ends.end(), [&](int64_t end) { return end <= op.start; });
        op.lane = lane - ends.begin();
        if (lane == ends.end()) {
          ends.push_back(op.start + op.micros);
        } else {
          *lane = op.start + op.micros;
        }
      }
    }
  }

  void WriteOps() {
    std::map<int64_t, std::map<int64_t, std::vector<const Op*>>> by_lane;  // pid, lane
    for (const auto& [device, ops] : ops_) {
      for (const auto& [start, op] : ops) by_lane[op.pid][op.lane].push_back(&op);
    }
    int64_t flow = 0;
    for (const auto& [pid, lanes] : by_lane) {
      for (const auto& [lane, ops] : lanes) {
        for (const Op* op : ops) flow = WriteOp(*op, flow);
      }
    }
  }

  int64_t WriteOp(const Op& op, int64_t flow) {
    const std::string_view name = view_.nodes[op.row].name;
    events_.Complete({name, op.start, op.micros, op.pid, op.lane}, false);
    const std::string flow_name = std::string(name) + "_flow";
    for (const Op* next : op.consumers) {
      ++flow;
      events_.Flow(ChromeEvents::FlowEnd::kFrom, flow_name, op.start + op.micros, op.pid, op.lane,
                   flow);
      events_.Flow(ChromeEvents::FlowEnd::kTo, flow_name, next->start, next->pid, next->lane, flow);
    }
    return flow;
  }

  void WriteMemory(GraphTimeline& timeline) {
    for (const auto& [device, memory] : memory_) {
      if (IsOnHost(device)) continue;
      const int64_t pid = next_pid_;
      next_pid_ += 2;
      const std::string name = "mem usage on:" + std::string(device);
      events_.Process(name, pid);
      events_.Process(name + " allocations", pid + 1);
      int64_t peak = 0;
      int64_t last = 0;
      for (const auto& [time, bytes] : memory.in_use) {
        peak = std::max(peak, bytes);
        if (time - last < kCounterSpacing) continue;
        last = time;
        events_.Memory(pid, time, bytes, HoldersAt(memory, time));
      }
      if (IsOnAccelerator(device)) timeline.peak_bytes.emplace_back(device, peak);
    }
  }

  static std::map<int64_t, std::vector<std::string_view>> HoldersAt(const DeviceMemory& memory,
                                                                    int64_t time) {
    std::map<int64_t, std::vector<std::string_view>> holders;
    for (const auto& [name, bytes] : memory.bytes_of_node) {
      auto at = bytes.lower_bound(time);
      if (at != bytes.begin()) --at;
      if (at->second > 0) holders[at->second].push_back(name);
    }
    return holders;
  }

  const Model& model_;
  const View& view_;
  const int64_t step_;
  ChromeEvents events_;
  int64_t next_pid_ = 0;
  std::map<std::string_view, int64_t> pids_;
  std::map<std::string_view, std::map<int64_t, Op>> ops_;  // by device, start
  std::map<std::string_view, DeviceMemory> memory_;
};

}  // namespace

GraphTimeline StepTimeline(const Model& model, const View& view, int64_t step) {
  return Builder(model, view, step).Build();
}

std::string TreeTimeline(const View& view) {
  struct Place {
    uint32_t row;
    int64_t start;
    int64_t depth;
  };
  ChromeEvents events;
  std::set<int64_t> depths;
  std::vector<Place> stack{{view.root, 0, 0}};
  while (!stack.empty()) {
    const Place place = stack.back();
    stack.pop_back();
    const ViewNode& node = view.nodes[place.row];
    if (depths.insert(place.depth).second) {
      events.Process("Scope:" + std::to_string(place.depth), place.depth);
    }
    events.Complete({node.name, place.start, node.total.micros, place.depth, 0}, true);
    std::vector<Place> below;
    int64_t start = place.start;
    for (const uint32_t child : node.shown_children) {
      const int64_t micros = view.nodes[child].total.micros;
      if (micros <= 0) continue;
      below.push_back({child, start, place.depth + 1});
      start += micros;
    }
    stack.insert(stack.end(), below.rbegin(), below.rend());
  }
  return events.Write();
}

}  // namespace stepscope::tfprof
