#include "tools/timeline/run_metadata_details.h"

#include <fmt/core.h>
#include <fmt/ranges.h>

#include <memory>
#include <unordered_map>

#include "present/json_writer.h"
#include "read/run_metadata/timeline_label.h"

namespace stepscope {
namespace {

// Op spans are called "node:Type".
std::string_view NodeOf(std::string_view span) { return span.substr(0, span.rfind(':')); }

// Rows of one node in the order of their starts in the file; loops run a node several times.
using RowsByNode = std::unordered_map<std::string_view, std::vector<const NodeExecStats*>>;

RowsByNode IndexRows(const RunMetadata& run) {
  RowsByNode rows;
  for (const DeviceStepStats& device : run.devices) {
    for (const NodeExecStats& row : device.nodes) rows[row.name].push_back(&row);
  }
  return rows;
}

int64_t StartOf(const NodeExecStats& row) {
  return row.all_start_nanos > 0 ? row.all_start_nanos : row.all_start_micros * 1000;
}

const NodeExecStats* FindRow(const RowsByNode& rows, std::string_view name, int64_t start_ns) {
  for (const std::string_view node : {name, NodeOf(name)}) {
    const auto found = rows.find(node);
    if (found == rows.end()) continue;
    for (const NodeExecStats* row : found->second) {
      if (StartOf(*row) == start_ns) return row;
    }
  }
  return nullptr;
}

std::string ShapeText(const TensorShape& shape) {
  if (shape.unknown_rank) return "?";
  return fmt::format("[{}]", fmt::join(shape.dims, ","));
}

void AddOutputs(const NodeExecStats& row, std::vector<std::pair<std::string, std::string>>& out) {
  if (row.outputs.empty()) return;
  std::vector<std::string> shapes;
  int64_t bytes = 0;
  for (const NodeOutput& output : row.outputs) {
    shapes.push_back(fmt::format("{}{}", NameOf(output.type), ShapeText(output.shape)));
    bytes += output.allocation.requested_bytes;
  }
  out.emplace_back("outputs", JsonString(fmt::format("{}", fmt::join(shapes, ", "))));
  out.emplace_back("output bytes", std::to_string(bytes));
}

}  // namespace

SpanDetails DetailsOf(const RunMetadata& run, const Trace& trace) {
  auto rows = std::make_shared<const RowsByNode>(IndexRows(run));
  const int64_t origin = trace.facts.start_unix_ns.value_or(0);
  return [rows, &trace, origin](uint32_t slice,
                                std::vector<std::pair<std::string, std::string>>& out) {
    const NodeExecStats* row =
        FindRow(*rows, trace.Name(slice), trace.slices.start[slice].ns + origin);
    if (row == nullptr) return;
    const OpLabel label = ParseOpLabel(row->label);
    for (size_t i = 0; i < label.inputs.size(); ++i) {
      out.emplace_back("input" + std::to_string(i), JsonString(label.inputs[i]));
    }
    AddOutputs(*row, out);
    for (const AllocatorMemory& memory : row->memory) {
      out.emplace_back("memory", JsonString(fmt::format("{}: {} B in all, {} B at most, {} B kept",
                                                        memory.allocator, memory.total_bytes,
                                                        memory.peak_bytes, memory.live_bytes)));
    }
    if (label.op == "unknown" && !row->label.empty()) {
      out.emplace_back("label", JsonString(row->label));
    }
  };
}

std::vector<FlowArrow> DataFlowOf(const RunMetadata& run, const Trace& trace) {
  struct Producer {
    TimeNs end;
    TrackId track;
  };
  const RowsByNode rows = IndexRows(run);
  const int64_t origin = trace.facts.start_unix_ns.value_or(0);
  std::unordered_map<std::string_view, Producer> producers;
  struct Consumer {
    const NodeExecStats* row;
    uint32_t slice;
    TrackId track;
  };
  std::vector<Consumer> consumers;
  for (uint32_t t = 0; t < trace.tracks.size(); ++t) {
    const RowRange range = trace.tracks[t].slices;
    for (uint32_t slice = range.first; slice < range.last; ++slice) {
      if (trace.slices.kind[slice] != Kind::kOp && trace.slices.kind[slice] != Kind::kInput) {
        continue;
      }
      const NodeExecStats* row =
          FindRow(rows, trace.Name(slice), trace.slices.start[slice].ns + origin);
      if (row == nullptr) continue;
      producers.insert_or_assign(row->name, Producer{trace.slices.end(slice), TrackId{t}});
      consumers.push_back({row, slice, TrackId{t}});
    }
  }
  std::vector<FlowArrow> arrows;
  for (const Consumer& consumer : consumers) {
    const TimeNs start = trace.slices.start[consumer.slice];
    for (std::string_view input : ParseOpLabel(consumer.row->label).inputs) {
      input = input.substr(0, input.find(':'));
      const auto producer = producers.find(input);
      // A value of the iteration before would point backwards.
      if (producer == producers.end() || producer->second.track == consumer.track ||
          producer->second.end > start) {
        continue;
      }
      arrows.push_back({producer->second.end, start, producer->second.track, consumer.track,
                        std::string(input)});
    }
  }
  return arrows;
}

}  // namespace stepscope
