#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

#include "base/string_table.h"
#include "read/graph_def/graph_def.h"
#include "read/run_metadata/run_metadata_proto.h"
#include "tools/tfprof/op_log/op_log.h"
#include "tools/tfprof/options.h"
#include "tools/tfprof/profile_proto/profile_proto.h"

// What TensorFlow's tf.profiler (tfprof) knows of a model: the nodes of its graph and what each of
// them did in every step that was traced. All quantities are tfprof's own, oddities included; the
// pages of docs/view.md say where they mislead.
namespace stepscope::tfprof {

inline constexpr std::string_view kRoot = "_TFProfRoot";
inline constexpr int32_t kNoNode = -1;

struct TimedRun {
  StringId device = kEmptyString;
  int64_t start = 0;  // microseconds, all_start
  int64_t micros = 0;
};

// Calls with inputs of the same shapes.
struct SeenShapes {
  StringId text = kEmptyString;  // as the profile spells them
  int64_t runs = 0;
  int64_t micros = 0;
};

// One node in one step.
struct NodeRun {
  int64_t step = 0;
  int64_t run_count = 0;
  int64_t all_start = 0;
  int64_t latest_end = 0;
  int64_t accelerator_micros = 0;
  int64_t cpu_micros = 0;
  int64_t requested_bytes = 0;
  int64_t peak_bytes = 0;
  int64_t residual_bytes = 0;
  int64_t output_bytes = 0;
  int64_t accelerator_persistent_bytes = 0;
  std::vector<TimedRun> accelerator;  // on "stream:all" devices, in file order
  std::vector<TimedRun> cpu;          // on the op-level devices
  std::vector<ExecMemory> memory;
  std::vector<AllocationRecord> allocations;
  std::vector<StringId> devices;   // all devices the node was seen on
  std::vector<SeenShapes> shapes;  // of inputs, where a profile records them with every call

  int64_t micros() const { return accelerator_micros + cpu_micros; }
};

struct NodeInput {
  int32_t index = 0;
  int32_t node = kNoNode;  // index into Model::nodes; kNoNode: the graph has no such node
  int32_t output = 0;      // which output of it
};

struct Node {
  std::string_view name;
  std::string_view op;
  int64_t id = 0;
  std::vector<NodeInput> inputs;
  std::vector<StringId> types;  // by text: the op, its device, what the op log and checkpoint add
  std::vector<int64_t> shape;   // attribute "shape"; a scalar is {1}, unknown rank is empty
  StringId device = kEmptyString;  // the op-level device it ran on, lower case
  int64_t static_float_ops = 0;
  uint32_t first_frame = 0;  // into Model::frames
  uint32_t frame_count = 0;
  std::span<const Attr> attrs;
  std::vector<NodeRun> runs;                                                   // by step
  std::vector<std::pair<int32_t, std::vector<int64_t>>> stored_output_shapes;  // of a ProfileProto

  const NodeRun* RunOf(int64_t step) const;
};

struct Frame {
  int32_t line = 0;
  int32_t function_start = 0;
  StringId file = kEmptyString;
  StringId function = kEmptyString;
  int64_t file_id = 0;  // as the op log numbers them
  int64_t function_id = 0;
  int64_t text_id = 0;
};

// Numbers of one node, or summed over several.
struct Stats {
  int64_t micros = 0;
  int64_t accelerator_micros = 0;
  int64_t cpu_micros = 0;
  int64_t requested_bytes = 0;
  int64_t peak_bytes = 0;
  int64_t residual_bytes = 0;
  int64_t output_bytes = 0;
  int64_t parameters = 0;
  int64_t float_ops = 0;
  int64_t run_count = 0;
  int64_t definitions = 0;

  Stats& operator+=(const Stats& other);
};

class Model {
 public:
  Model() = default;
  Model(Model&&) = default;
  Model& operator=(Model&&) = default;

  // In the order tfprof's command line adds them: graph, op log, checkpoint, steps.
  void AddGraph(std::shared_ptr<const GraphDef> graph);
  void AddOpLog(const std::shared_ptr<const OpLog>& log);
  // Names of the checkpoint's variables; nodes of that name get the type _checkpoint_variables.
  void AddCheckpointVariables(std::span<const std::string> names);
  // How many runs will come, where it is known: saves moving what each node did.
  void ExpectSteps(size_t steps) { expected_steps_ = steps; }
  // False if there are no step statistics in it.
  bool AddRun(int64_t step, const std::shared_ptr<const RunMetadata>& run);
  // A whole model from tfprof's own file.
  void SetProfile(std::shared_ptr<const ProfileProto> profile);
  ProfileProto ToProfile() const;

  // Nodes of a profile that is no TensorFlow model: found again by name, made when new.
  struct ObservedTimes {
    int64_t start = 0;  // microseconds
    int64_t span = 0;   // from start to end on the host, children included
    int64_t cpu_micros = 0;
    int64_t accelerator_micros = 0;
    int64_t runs = 0;
    int64_t bytes = 0;
    std::string_view input_shapes = {};
  };
  int32_t ObservedNode(std::string_view name, std::string_view op, std::string_view device,
                       std::span<const CodeFrame> frames);
  void AddObserved(int32_t node, int64_t step, const ObservedTimes& times);
  void AddObservedInput(int32_t node, int32_t source);
  // In place of Finish; `absent` are columns the profile knows nothing of.
  void FinishObserved(std::span<const Column> absent, bool has_code);
  // Shapes that calls were seen with, the most frequent first; averaged as StatsOf.
  std::vector<SeenShapes> ShapesSeen(const Node& node, int64_t step) const;
  bool saw_shapes() const { return saw_shapes_; }
  bool Lacks(Column column) const { return lacks_[static_cast<size_t>(column)]; }

  // Sorts the nodes by name, which is the order of everything else. Call once, after all Adds.
  void Finish();

  std::span<const Node> nodes() const { return nodes_; }
  int32_t FindNode(std::string_view name) const;  // kNoNode if there is none
  std::string_view Text(StringId id) const { return strings_[id]; }
  const StringTable& strings() const { return strings_; }
  std::span<const Frame> FramesOf(const Node& node) const {
    return std::span(frames_).subspan(node.first_frame, node.frame_count);
  }
  const std::set<int64_t>& steps() const { return steps_; }
  bool has_code() const { return has_code_; }
  // What is worth saying about where the model comes from.
  const std::vector<std::string>& notes() const { return notes_; }
  void AddNote(std::string note) { notes_.push_back(std::move(note)); }
  bool misses_accelerator_stream() const { return misses_accelerator_stream_; }
  // Rows without a start time, whose memory is not counted.
  std::span<const std::string_view> without_start() const { return without_start_; }

  // Averaged over the steps the node ran in when step < 0.
  Stats StatsOf(const Node& node, int64_t step) const;
  // Of input `input` as the graph's _output_shapes has it; empty: unknown.
  std::vector<int64_t> InputShape(const NodeInput& input) const;
  std::vector<int64_t> OutputShape(const Node& node, int32_t output) const;
  // Whether the node has a place in the step's timeline.
  bool InTimeline(const Node& node, int64_t step) const;

 private:
  // What a device's name says, looked at once for all its rows.
  struct RunDevice {
    StringId id = kEmptyString;
    std::string_view name;
    bool ops = false;
    bool kernels = false;
  };

  Node& NodeAt(int32_t index) { return nodes_[static_cast<size_t>(index)]; }
  // kNoNode if there is one of that name.
  int32_t AddNode(std::string_view name, std::string_view op);
  void AddShapes(NodeRun& run, const ObservedTimes& times);
  void AddType(Node& node, std::string_view type);
  void AddInputs(Node& node, const NodeDef& def);
  void AddStats(Node& node, int64_t step, const RunDevice& device, const NodeExecStats& stats);
  void AddFrames(Node& node, std::span<const CodeFrame> frames);
  // Names look into the file; what was made of it can go where the file is known.
  void KeepTexts(const std::shared_ptr<const void>& file,
                 const std::shared_ptr<const void>& message);

  std::vector<Node> nodes_;
  std::unordered_map<std::string_view, int32_t> by_name_;
  StringTable strings_;
  std::vector<Frame> frames_;
  std::vector<StringById> log_strings_;
  std::unordered_map<int64_t, std::string_view> log_string_by_id_;
  std::set<int64_t> steps_;
  size_t expected_steps_ = 1;
  std::vector<std::string_view> without_start_;
  bool has_code_ = false;
  bool misses_accelerator_stream_ = false;
  std::array<bool, kColumnNames.size()> lacks_{};
  bool saw_shapes_ = false;
  std::vector<std::string> notes_;
  std::vector<std::shared_ptr<const void>> owners_;
};

// Device names as RunMetadata writes them, lower case.
bool IsOpDevice(std::string_view device);      // …/gpu:0, …/device:cpu:1: one row per op
bool IsKernelDevice(std::string_view device);  // …stream:all
bool IsOnAccelerator(std::string_view device);
bool IsOnHost(std::string_view device);

}  // namespace stepscope::tfprof
