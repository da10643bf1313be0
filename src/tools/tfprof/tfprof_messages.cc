#include "tools/tfprof/tfprof_messages.h"

#include <utility>

#include "read/protobuf/wire_writer.h"

namespace stepscope::tfprof {
namespace {

// GraphNodeProto
enum GraphNodeField : uint32_t {
  kNodeName = 1,
  kNodeMicros = 2,
  kNodeRequested = 3,
  kNodeParameters = 4,
  kNodeTotalMicros = 6,
  kNodeTotalRequested = 7,
  kNodeTotalParameters = 8,
  kNodeDevices = 10,
  kNodeChildren = 12,
  kNodeFloatOps = 13,
  kNodeTotalFloatOps = 14,
  kNodeInputShapes = 16,
  kNodeAccelerator = 17,
  kNodeCpu = 18,
  kNodeTotalAccelerator = 19,
  kNodeTotalCpu = 20,
  kNodeRunCount = 21,
  kNodeTotalRunCount = 22,
  kNodeTotalDefinitions = 23,
  kNodePeak = 24,
  kNodeResidual = 25,
  kNodeOutput = 26,
  kNodeTotalPeak = 27,
  kNodeTotalResidual = 28,
  kNodeTotalOutput = 29
};
// MultiGraphNodeProto
enum MultiNodeField : uint32_t {
  kMultiName = 1,
  kMultiMicros = 2,
  kMultiRequested = 3,
  kMultiParameters = 4,
  kMultiFloatOps = 5,
  kMultiTotalMicros = 6,
  kMultiTotalRequested = 7,
  kMultiTotalParameters = 8,
  kMultiTotalFloatOps = 9,
  kMultiGraphNodes = 10,
  kMultiChildren = 11,
  kMultiAccelerator = 12,
  kMultiCpu = 13,
  kMultiTotalAccelerator = 14,
  kMultiTotalCpu = 15,
  kMultiPeak = 16,
  kMultiResidual = 17,
  kMultiOutput = 18,
  kMultiTotalPeak = 19,
  kMultiTotalResidual = 20,
  kMultiTotalOutput = 21
};
enum MapEntryField : uint32_t { kKey = 1, kValue = 2 };
enum ShapeField : uint32_t { kDim = 2, kUnknownRank = 3 };
constexpr uint32_t kDimSize = 1;
constexpr uint32_t kAdviceCheckers = 1;
constexpr uint32_t kCheckerReports = 2;

// A number, left out when 0 as proto3 does.
void Put(WireWriter& writer, uint32_t field, int64_t value) {
  if (value != 0) writer.Signed(field, value);
}

std::string ShapeBytes(const std::vector<int64_t>& shape) {
  std::string bytes;
  WireWriter writer(bytes);
  if (shape.empty()) writer.Varint(kUnknownRank, 1);
  for (const int64_t size : shape) {
    std::string dim;
    WireWriter dim_writer(dim);
    Put(dim_writer, kDimSize, size);
    writer.Bytes(kDim, dim);
  }
  return bytes;
}

void PutNodeStats(WireWriter& writer, const Stats& self, const Stats& total) {
  Put(writer, kNodeMicros, self.micros);
  Put(writer, kNodeRequested, self.requested_bytes);
  Put(writer, kNodeParameters, self.parameters);
  Put(writer, kNodeTotalMicros, total.micros);
  Put(writer, kNodeTotalRequested, total.requested_bytes);
  Put(writer, kNodeTotalParameters, total.parameters);
  Put(writer, kNodeFloatOps, self.float_ops);
  Put(writer, kNodeTotalFloatOps, total.float_ops);
  Put(writer, kNodeAccelerator, self.accelerator_micros);
  Put(writer, kNodeCpu, self.cpu_micros);
  Put(writer, kNodeTotalAccelerator, total.accelerator_micros);
  Put(writer, kNodeTotalCpu, total.cpu_micros);
  Put(writer, kNodeRunCount, self.run_count);
  Put(writer, kNodeTotalRunCount, total.run_count);
  Put(writer, kNodeTotalDefinitions, total.definitions);
  Put(writer, kNodePeak, self.peak_bytes);
  Put(writer, kNodeResidual, self.residual_bytes);
  Put(writer, kNodeOutput, self.output_bytes);
  Put(writer, kNodeTotalPeak, total.peak_bytes);
  Put(writer, kNodeTotalResidual, total.residual_bytes);
  Put(writer, kNodeTotalOutput, total.output_bytes);
}

void PutMultiStats(WireWriter& writer, const Stats& self, const Stats& total) {
  Put(writer, kMultiMicros, self.micros);
  Put(writer, kMultiRequested, self.requested_bytes);
  Put(writer, kMultiParameters, self.parameters);
  Put(writer, kMultiFloatOps, self.float_ops);
  Put(writer, kMultiTotalMicros, total.micros);
  Put(writer, kMultiTotalRequested, total.requested_bytes);
  Put(writer, kMultiTotalParameters, total.parameters);
  Put(writer, kMultiTotalFloatOps, total.float_ops);
  Put(writer, kMultiAccelerator, self.accelerator_micros);
  Put(writer, kMultiCpu, self.cpu_micros);
  Put(writer, kMultiTotalAccelerator, total.accelerator_micros);
  Put(writer, kMultiTotalCpu, total.cpu_micros);
  Put(writer, kMultiPeak, self.peak_bytes);
  Put(writer, kMultiResidual, self.residual_bytes);
  Put(writer, kMultiOutput, self.output_bytes);
  Put(writer, kMultiTotalPeak, total.peak_bytes);
  Put(writer, kMultiTotalResidual, total.residual_bytes);
  Put(writer, kMultiTotalOutput, total.output_bytes);
}

class Encoder {
 public:
  Encoder(const Model& model, const View& view, int64_t step)
      : model_(model), view_(view), step_(step) {}

  std::string Run() {
    if (view_.kind == ViewKind::kOp) return OpChain();
    const bool multi = view_.kind == ViewKind::kCode;
    return Tree(multi);
  }

 private:
  // Bottom up without recursion: graph views are as deep as the graph is long.
  std::string Tree(bool multi) {
    struct Level {
      uint32_t node;
      size_t next = 0;
      std::string children;
    };
    const uint32_t field = multi ? uint32_t{kMultiChildren} : uint32_t{kNodeChildren};
    std::vector<Level> stack;
    stack.push_back({view_.root, 0, {}});
    for (;;) {
      Level& level = stack.back();
      const std::vector<uint32_t>& children = view_.nodes[level.node].shown_children;
      if (level.next < children.size()) {
        stack.push_back({children[level.next++], 0, {}});
        continue;
      }
      const ViewNode& node = view_.nodes[level.node];
      std::string bytes = multi ? MultiNode(node) : GraphNode(node);
      bytes += level.children;
      stack.pop_back();
      if (stack.empty()) return bytes;
      WireWriter(stack.back().children).Bytes(field, bytes);
    }
  }

  std::string OpChain() {
    std::string below;
    const std::vector<uint32_t>& rows = view_.Root().shown_children;
    for (auto row = rows.rbegin(); row != rows.rend(); ++row) {
      std::string bytes = MultiNode(view_.nodes[*row]);
      if (!below.empty()) WireWriter(bytes).Bytes(kMultiChildren, below);
      below = std::move(bytes);
    }
    std::string root = MultiNode(view_.Root());
    if (!below.empty()) WireWriter(root).Bytes(kMultiChildren, below);
    return root;
  }

  std::string GraphNode(const ViewNode& row) const {
    std::string bytes;
    WireWriter writer(bytes);
    writer.Bytes(kNodeName, row.name);
    PutNodeStats(writer, row.self, row.total);
    if (row.node != kNoNode) PutPlace(writer, model_.nodes()[static_cast<size_t>(row.node)]);
    return bytes;
  }

  void PutPlace(WireWriter& writer, const Node& node) const {
    if (node.device != kEmptyString) writer.Bytes(kNodeDevices, model_.Text(node.device));
    for (const NodeInput& input : node.inputs) {
      std::string entry;
      WireWriter entry_writer(entry);
      Put(entry_writer, kKey, input.index);
      entry_writer.Bytes(kValue, ShapeBytes(model_.InputShape(input)));
      writer.Bytes(kNodeInputShapes, entry);
    }
  }

  std::string MultiNode(const ViewNode& row) const {
    std::string bytes;
    WireWriter writer(bytes);
    writer.Bytes(kMultiName, row.name);
    PutMultiStats(writer, row.self, row.total);
    for (const int32_t member : row.members) {
      const Node& node = model_.nodes()[static_cast<size_t>(member)];
      Stats stats = model_.StatsOf(node, step_);
      stats.definitions = 1;
      std::string message;
      WireWriter node_writer(message);
      node_writer.Bytes(kNodeName, node.name);
      PutNodeStats(node_writer, stats, stats);
      PutPlace(node_writer, node);
      writer.Bytes(kMultiGraphNodes, message);
    }
    return bytes;
  }

  const Model& model_;
  const View& view_;
  const int64_t step_;
};

}  // namespace

std::string EncodeView(const Model& model, const View& view, int64_t step) {
  return Encoder(model, view, step).Run();
}

std::string EncodeAdvice(const Advice& advice) {
  std::string bytes;
  WireWriter writer(bytes);
  for (const CheckerReport& checker : advice.checkers) {
    std::string reports;
    WireWriter reports_writer(reports);
    for (const std::string& report : checker.reports) {
      reports_writer.Bytes(kCheckerReports, report);
    }
    std::string entry;
    WireWriter entry_writer(entry);
    entry_writer.Bytes(kKey, checker.checker);
    entry_writer.Bytes(kValue, reports);
    writer.Bytes(kAdviceCheckers, entry);
  }
  return bytes;
}

}  // namespace stepscope::tfprof
