#include "tools/nan/tfdbg/debug_event.h"

#include <algorithm>
#include <utility>

#include "read/protobuf/walk.h"
#include "read/protobuf/wire.h"

namespace stepscope {
namespace {

TensorDebugMode ModeOf(uint64_t value) {
  return value <= 8 ? static_cast<TensorDebugMode>(value) : TensorDebugMode::kUnspecified;
}

bool IsWhole(std::string_view message) {
  WireReader r(message);
  while (r.Next()) {
  }
  return r.ok();
}

}  // namespace

bool DebugEvents::Add(std::string_view record) {
  double wall_time = 0;
  uint32_t what = 0;
  std::string_view payload;
  WireReader r(record);
  while (r.Next()) {
    if (r.field() == 1) wall_time = r.Double();
    if (r.field() < 3) continue;
    what = r.field();
    payload = r.Bytes();
  }
  if (!r.ok() || !IsWhole(payload)) return false;
  switch (what) {
    case 3:
      AddMetadata(payload);
      break;
    case 4:
      AddSourceFile(payload);
      break;
    case 6:
      AddFrame(payload);
      break;
    case 7:
      AddOp(payload);
      break;
    case 8:
      AddGraph(payload);
      break;
    case 9:
      AddExecution(wall_time, payload);
      break;
    case 10:
      AddTrace(wall_time, payload);
      break;
    default:  // graph_id and debugged_device add nothing that is used
      break;
  }
  return true;
}

void DebugEvents::AddMetadata(std::string_view message) {
  for (WireReader r(message); r.Next();) {
    if (r.field() == 1) dump_.tensorflow_version = r.Bytes();
    if (r.field() == 3) dump_.run_id = r.Bytes();
  }
}

void DebugEvents::AddSourceFile(std::string_view message) {
  SourceFile& file = files_.emplace_back();
  for (WireReader r(message); r.Next();) {
    if (r.field() == 1) file.path = r.Bytes();
    if (r.field() == 2) file.host = r.Bytes();
    if (r.field() == 3) file.lines.emplace_back(r.Bytes());
  }
}

FrameIndex DebugEvents::FrameOf(std::string_view id) {
  const auto [at, is_new] =
      frame_ids_.try_emplace(std::string(id), static_cast<FrameIndex>(frames_.size()));
  if (is_new) frames_.emplace_back(RawFrame{-1, 0, {}, {}});
  return at->second;
}

void DebugEvents::AddFrame(std::string_view message) {
  std::string_view id;
  RawFrame frame;
  for (WireReader r(message); r.Next();) {
    if (r.field() == 1) id = r.Bytes();
    if (r.field() != 2) continue;
    for (WireReader place(r.Bytes()); place.Next();) {
      if (place.field() == 1) frame.file = place.Signed();
      if (place.field() == 2) frame.line = place.Signed();
      if (place.field() == 4) frame.function = place.Bytes();
      if (place.field() == 5) frame.code = place.Bytes();
    }
  }
  frames_[FrameOf(id)] = std::move(frame);
}

std::vector<FrameIndex> DebugEvents::StackOf(std::string_view code_location) {
  std::vector<FrameIndex> stack;
  for (WireReader r(code_location); r.Next();) {
    if (r.field() == 2) stack.push_back(FrameOf(r.Bytes()));
  }
  return stack;
}

DebugGraph& DebugEvents::GraphOf(std::string_view id) {
  const auto [at, is_new] = graph_ids_.try_emplace(std::string(id), dump_.graphs.size());
  if (is_new) dump_.graphs.emplace_back().id = id;
  return dump_.graphs[at->second];
}

void DebugEvents::AddOp(std::string_view message) {
  DebugOp op;
  std::string_view graph_id;
  for (WireReader r(message); r.Next();) {
    switch (r.field()) {
      case 1:
        op.type = r.Bytes();
        break;
      case 2:
        op.name = r.Bytes();
        break;
      case 4:
        graph_id = r.Bytes();
        break;
      case 5:
        op.device = r.Bytes();
        break;
      case 6:
        op.inputs.emplace_back(r.Bytes());
        break;
      case 7:
        op.num_outputs = r.Signed();
        break;
      case 8:
        op.stack = StackOf(r.Bytes());
        break;
      default:
        break;
    }
  }
  DebugGraph& graph = GraphOf(graph_id);
  if (graph.index.try_emplace(op.name, graph.ops.size()).second) {
    graph.ops.push_back(std::move(op));
  }
}

void DebugEvents::AddGraph(std::string_view message) {
  std::string_view id, name, outer;
  for (WireReader r(message); r.Next();) {
    if (r.field() == 1) id = r.Bytes();
    if (r.field() == 2) name = r.Bytes();
    if (r.field() == 6) outer = r.Bytes();
  }
  DebugGraph& graph = GraphOf(id);
  graph.name = name;
  graph.outer_id = outer;
}

void DebugEvents::SawMode(TensorDebugMode mode) {
  const auto at = std::ranges::lower_bound(dump_.modes, mode);
  if (at == dump_.modes.end() || *at != mode) dump_.modes.insert(at, mode);
}

void DebugEvents::AddExecution(double wall_time, std::string_view message) {
  DebugExecution execution;
  execution.wall_time = wall_time;
  std::vector<std::string_view> tensors;
  for (WireReader r(message); r.Next();) {
    switch (r.field()) {
      case 1:
        execution.op_type = r.Bytes();
        break;
      case 2:
        execution.num_outputs = r.Signed();
        break;
      case 3:
        execution.graph_id = r.Bytes();
        break;
      case 4:
        AppendIntegers(r, execution.inputs);
        break;
      case 5:
        AppendIntegers(r, execution.outputs);
        break;
      case 6:
        execution.mode = ModeOf(r.Unsigned());
        break;
      case 7:
        tensors.push_back(r.Bytes());
        break;
      case 8:
        execution.stack = StackOf(r.Bytes());
        break;
      default:
        break;
    }
  }
  for (const std::string_view tensor : tensors) {
    execution.tensors.push_back(HealthOf(execution.mode, tensor));
  }
  SawMode(execution.mode);
  dump_.executions.push_back(std::move(execution));
}

void DebugEvents::AddTrace(double wall_time, std::string_view message) {
  DebugTrace trace;
  trace.wall_time = wall_time;
  std::string_view tensor;
  for (WireReader r(message); r.Next();) {
    switch (r.field()) {
      case 1:
        trace.graph_id = r.Bytes();
        break;
      case 2:
        trace.op_name = r.Bytes();
        break;
      case 3:
        trace.slot = r.Signed();
        break;
      case 4:
        trace.mode = ModeOf(r.Unsigned());
        break;
      case 5:
        tensor = r.Bytes();
        break;
      case 6:
        trace.device = r.Bytes();
        break;
      default:
        break;
    }
  }
  trace.health = HealthOf(trace.mode, tensor);
  SawMode(trace.mode);
  dump_.traces.push_back(std::move(trace));
}

DebugDump DebugEvents::Finish() {
  for (const SourceFile& file : files_) dump_.source_files.emplace_back(file.host, file.path);
  for (RawFrame& raw : frames_) {
    DebugFrame& frame = dump_.frames.emplace_back();
    frame.line = raw.line;
    frame.function = std::move(raw.function);
    frame.code = std::move(raw.code);
    if (raw.file < 0 || static_cast<size_t>(raw.file) >= files_.size()) continue;
    const SourceFile& file = files_[static_cast<size_t>(raw.file)];
    frame.file = file.path;
    const bool has_line = raw.line >= 1 && static_cast<size_t>(raw.line) <= file.lines.size();
    if (frame.code.empty() && has_line) {
      frame.code = file.lines[static_cast<size_t>(raw.line) - 1];
    }
  }
  return std::move(dump_);
}

}  // namespace stepscope
