#include "tools/timeline/timeline_py.h"

#include <fmt/core.h>

#include <algorithm>
#include <set>
#include <span>
#include <tuple>
#include <unordered_map>
#include <utility>

#include "read/protobuf/text_printer.h"
#include "read/run_metadata/run_metadata_fields.h"
#include "read/run_metadata/timeline_label.h"
#include "tools/timeline/ascii_json.h"

namespace stepscope {
namespace {

// A row with what timeline.py changes about it.
struct Row {
  const NodeExecStats* stats = nullptr;
  int64_t start = 0;
  int64_t length = 0;
  int64_t lane = 0;
  int64_t end() const { return start + length; }
};

struct DeviceRows {
  std::string_view device;
  std::vector<Row> rows;
  int64_t compute_pid = 0;
  int64_t tensors_pid = 0;
  bool gpu_trace() const {
    return device.find("/stream:") != std::string_view::npos ||
           device.find("/memcpy") != std::string_view::npos;
  }
};

struct Tensor {
  std::string name;
  int64_t id = 0;
  int64_t pid = 0;
  int64_t created = 0;
  int64_t last_use = 0;
  int64_t bytes = 0;
  std::string_view allocator;
  // Where an arrow to a consumer begins.
  int64_t end = 0;
  int64_t compute_pid = 0;
  int64_t lane = 0;
};

// One event of Python's json.dumps(…, indent=4).
class Event {
 public:
  explicit Event(std::string& out, bool first) : out_(out) {
    out_ += first ? "\n        {" : ",\n        {";
  }
  ~Event() { out_ += "\n        }"; }
  Event(const Event&) = delete;
  Event& operator=(const Event&) = delete;

  Event& Text(std::string_view key, std::string_view value) { return Put(key, QuoteAscii(value)); }
  Event& Number(std::string_view key, int64_t value) { return Put(key, fmt::format("{}", value)); }
  Event& Put(std::string_view key, std::string_view json) {
    out_ += fmt::format("{}\n            \"{}\": {}", separator_, key, json);
    separator_ = ",";
    return *this;
  }

 private:
  std::string& out_;
  std::string_view separator_;
};

// {"a": "b", …} one level below an event.
std::string Args(const std::vector<std::pair<std::string, std::string>>& members) {
  std::string out = "{";
  std::string_view separator;
  for (const auto& [key, json] : members) {
    out += fmt::format("{}\n                {}: {}", separator, QuoteAscii(key), json);
    separator = ",";
  }
  return out + "\n            }";
}

class Writer {
 public:
  Writer(const RunMetadata& run, const TimelinePyOptions& options,
         std::vector<AllocatorPeak>* peaks)
      : options_(options), peaks_(peaks) {
    for (const DeviceStepStats& device : run.devices) {
      DeviceRows& rows = devices_.emplace_back();
      rows.device = device.device;
      for (const NodeExecStats& node : device.nodes) {
        rows.rows.push_back({&node, node.all_start_micros, node.all_end_rel_micros, 0});
      }
    }
  }

  std::string Write() {
    MoveToKernels();
    out_ = "{\n    \"traceEvents\": [";
    WriteProcesses();
    AssignLanes();
    ProduceTensors();
    WriteOps();
    if (options_.memory) WriteMemory();
    out_ += "\n    ]\n}";
    return std::move(out_);
  }

 private:
  Event Begin() {
    const bool first = first_;
    first_ = false;
    return Event(out_, first);
  }

  // Times of ops by those of their kernels; all kernels of a node's name count as one.
  void MoveToKernels() {
    if (options_.op_time == OpTime::kSchedule) return;
    std::unordered_map<std::string_view, std::pair<int64_t, int64_t>> kernels;
    for (const DeviceRows& device : devices_) {
      if (device.device.find("/stream:all") == std::string_view::npos) continue;
      for (const Row& row : device.rows) {
        const KernelLabel label = ParseKernelLabel(row.stats->label, row.stats->name);
        const auto [span, added] = kernels.try_emplace(label.node, row.start, row.end());
        span->second.first = std::min(span->second.first, row.start);
        span->second.second = std::max(span->second.second, row.end());
      }
    }
    for (DeviceRows& device : devices_) {
      if (device.device.find("/stream:all") != std::string_view::npos ||
          device.device.find("/job") == std::string_view::npos) {
        continue;
      }
      for (Row& row : device.rows) {
        const auto span = kernels.find(row.stats->name);
        if (span == kernels.end()) continue;
        const int64_t end = std::max(span->second.second, row.end());
        if (options_.op_time == OpTime::kGpu) row.start = span->second.first;
        row.length = end - row.start;
      }
    }
  }

  void WriteProcess(std::string_view name, int64_t pid) {
    Begin()
        .Text("name", "process_name")
        .Text("ph", "M")
        .Number("pid", pid)
        .Put("args", Args({{"name", QuoteAscii(name)}}));
  }

  // A device listed twice keeps the pids of its last entry.
  void WriteProcesses() {
    WriteProcess("Allocators", 0);
    int64_t next = 1;
    std::unordered_map<std::string_view, int64_t> pids;
    for (const DeviceRows& device : devices_) {
      pids[device.device] = next;
      WriteProcess(std::string(device.device) + " Compute", next++);
      WriteProcess(std::string(device.device) + " Tensors", next++);
    }
    for (DeviceRows& device : devices_) {
      device.compute_pid = pids[device.device];
      device.tensors_pid = device.compute_pid + 1;
    }
  }

  void AssignLanes() {
    for (DeviceRows& device : devices_) {
      std::vector<int64_t> ends{0};
      for (Row& row : device.rows) {
        const auto lane =
            std::find_if(ends.begin(), ends.end(), [&](int64_t end) { return row.start > end; });
        row.lane = lane - ends.begin();
        if (lane == ends.end()) {
          ends.push_back(row.end());
        } else {
          *lane = row.end();
        }
      }
    }
  }

  void ProduceTensors() {
    for (const DeviceRows& device : devices_) {
      for (const Row& row : device.rows) {
        for (size_t i = 0; i < row.stats->outputs.size(); ++i) Produce(device, row, i);
      }
    }
  }

  void Produce(const DeviceRows& device, const Row& row, size_t index) {
    const NodeOutput& output = row.stats->outputs[index];
    std::string name(row.stats->name);
    if (index > 0) name += ":" + std::to_string(index);
    // A name produced again keeps its place; its id is the number of names so far.
    const auto id = static_cast<int64_t>(tensors_.size());
    const auto [at, added] = tensor_by_name_.try_emplace(name, tensors_.size());
    if (added) tensors_.emplace_back();
    Tensor& tensor = tensors_[at->second];
    tensor = Tensor{std::move(name),
                    id,
                    device.tensors_pid,
                    row.start,
                    row.end(),
                    output.allocation.requested_bytes,
                    output.allocation.allocator,
                    row.end(),
                    device.compute_pid,
                    row.lane};
    if (!options_.memory) return;
    WriteObject("N", tensor.name, row.start, tensor.pid, row.lane, id);
    std::string text = PrintTextMessage(output.description, fields::kTensorDescriptionMessage);
    std::erase(text, '"');
    Begin()
        .Text("ph", "O")
        .Text("cat", "Tensor")
        .Text("name", tensor.name)
        .Number("pid", tensor.pid)
        .Number("tid", row.lane)
        .Number("ts", row.end() - 1)
        .Number("id", id)
        .Put("args",
             Args({{"snapshot", fmt::format("{{\n                    "
                                            "\"tensor_description\": {}\n                }}",
                                            QuoteAscii(text))}}));
  }

  void WriteObject(std::string_view phase, std::string_view name, int64_t time, int64_t pid,
                   int64_t lane, int64_t id) {
    Begin()
        .Text("ph", phase)
        .Text("cat", "Tensor")
        .Text("name", name)
        .Number("pid", pid)
        .Number("tid", lane)
        .Number("ts", time)
        .Number("id", id);
  }

  void WriteOps() {
    for (const DeviceRows& device : devices_) {
      for (const Row& row : device.rows) {
        const bool received = row.stats->name == "RecvTensor";
        const OpLabel label = ParseOpLabel(row.stats->label);
        WriteOp(device, row, received, label);
        if (device.gpu_trace() || received) continue;
        for (const std::string_view input : label.inputs) Consume(device, row, input);
      }
    }
  }

  void WriteOp(const DeviceRows& device, const Row& row, bool received, const OpLabel& label) {
    std::string_view name = row.stats->name;
    std::string_view op = label.op;
    std::vector<std::pair<std::string, std::string>> args;
    if (device.gpu_trace()) {
      const KernelLabel kernel = ParseKernelLabel(row.stats->label, name);
      name = kernel.node;
      op = kernel.op;
    } else if (received) {
      op = "RecvTensor";
    }
    args.emplace_back("name", QuoteAscii(name));
    args.emplace_back("op", QuoteAscii(op));
    if (!device.gpu_trace() && !received) {
      for (size_t i = 0; i < label.inputs.size(); ++i) {
        args.emplace_back("input" + std::to_string(i), QuoteAscii(label.inputs[i]));
      }
    }
    Begin()
        .Text("ph", "X")
        .Text("cat", "Op")
        .Text("name", op)
        .Number("pid", device.compute_pid)
        .Number("tid", row.lane)
        .Number("ts", row.start)
        .Number("dur", row.length)
        .Put("args", Args(args));
  }

  void Consume(const DeviceRows& device, const Row& row, std::string_view input) {
    auto found = tensor_by_name_.find(std::string(input));
    if (found == tensor_by_name_.end()) {
      // A copy between devices was put in between: "name/_12" comes from "name".
      const size_t cut = input.rfind("/_");
      if (cut == std::string_view::npos || cut == 0) return;
      input = input.substr(0, cut);
      found = tensor_by_name_.find(std::string(input));
      if (found == tensor_by_name_.end()) return;
    }
    Tensor& tensor = tensors_[found->second];
    tensor.last_use = std::max(tensor.last_use, row.end() - 1);
    const bool same_place = tensor.compute_pid == device.compute_pid && tensor.lane == row.lane;
    if (!options_.dataflow || same_place) return;
    const int64_t id = next_flow_++;
    WriteFlow("s", input, tensor.compute_pid, tensor.lane, tensor.end, id);
    WriteFlow("t", input, device.compute_pid, row.lane, row.start, id);
  }

  void WriteFlow(std::string_view phase, std::string_view name, int64_t pid, int64_t lane,
                 int64_t time, int64_t id) {
    Begin()
        .Text("ph", phase)
        .Text("cat", "DataFlow")
        .Text("name", name)
        .Number("pid", pid)
        .Number("tid", lane)
        .Number("ts", time)
        .Number("id", id);
  }

  using Change = std::tuple<int64_t, int64_t, std::string_view>;  // time, bytes, tensor

  void WriteMemory() {
    std::vector<std::pair<std::string_view, std::vector<Change>>> allocators;
    for (const Tensor& tensor : tensors_) {
      WriteObject("D", tensor.name, tensor.last_use, tensor.pid, 0, tensor.id);
      auto at = std::find_if(allocators.begin(), allocators.end(),
                             [&](const auto& each) { return each.first == tensor.allocator; });
      if (at == allocators.end()) {
        at = allocators.insert(at, {tensor.allocator, {}});
      }
      at->second.emplace_back(tensor.created, tensor.bytes, tensor.name);
      at->second.emplace_back(tensor.last_use, -tensor.bytes, tensor.name);
    }
    for (auto& [allocator, changes] : allocators) {
      std::sort(changes.begin(), changes.end());
      int64_t bytes = 0;
      for (const auto& [time, change, name] : changes) {
        bytes += change;
        Begin()
            .Text("ph", "C")
            .Text("cat", "Memory")
            .Text("name", allocator)
            .Number("pid", 0)
            .Number("tid", 0)
            .Number("ts", time)
            .Put("args", Args({{std::string(allocator), std::to_string(bytes)}}));
      }
      if (peaks_ != nullptr) peaks_->push_back(PeakOf(allocator, changes));
    }
  }

  // The first moment of the largest sum, and the tensors that were live at that moment.
  static AllocatorPeak PeakOf(std::string_view allocator, std::span<const Change> changes) {
    AllocatorPeak peak{allocator, 0, 0, {}};
    int64_t bytes = 0;
    size_t changes_until = 0;
    for (size_t i = 0; i < changes.size(); ++i) {
      bytes += std::get<1>(changes[i]);
      if (bytes <= peak.bytes) continue;
      peak.bytes = bytes;
      peak.micros = std::get<0>(changes[i]);
      changes_until = i + 1;
    }
    std::set<std::string_view> alive;
    for (const auto& [time, change, name] : changes.first(changes_until)) {
      if (change < 0) {
        alive.erase(name);
      } else {
        alive.insert(name);
      }
    }
    peak.tensors.assign(alive.begin(), alive.end());
    return peak;
  }

  const TimelinePyOptions& options_;
  std::vector<AllocatorPeak>* const peaks_;
  std::vector<DeviceRows> devices_;
  std::vector<Tensor> tensors_;  // in order of first production
  std::unordered_map<std::string, size_t> tensor_by_name_;
  int64_t next_flow_ = 0;
  bool first_ = true;
  std::string out_;
};

}  // namespace

std::string TimelinePy(const RunMetadata& run, const TimelinePyOptions& options,
                       std::vector<AllocatorPeak>* peaks) {
  return Writer(run, options, peaks).Write();
}

}  // namespace stepscope
