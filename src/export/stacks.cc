#include "export/stacks.h"

#include <algorithm>
#include <charconv>
#include <utility>

#include "analyze/idle/idle_gaps.h"

namespace stepscope::exported {
namespace {

using tables::TraceRows;

bool IsFrame(Kind kind, StackBy by) {
  switch (by) {
    case StackBy::kOps:
      return kind == Kind::kAnnotation || kind == Kind::kModuleFrame || kind == Kind::kOp ||
             kind == Kind::kInput;
    case StackBy::kModules:
      return kind == Kind::kModuleFrame;
    case StackBy::kPython:
      return kind == Kind::kPythonFrame || kind == Kind::kModuleFrame || kind == Kind::kOp;
    case StackBy::kHlo:
      return false;
  }
  std::unreachable();
}

bool Selected(const StackOptions& options, uint32_t slice) {
  return !options.selected || options.selected(slice);
}

}  // namespace

uint32_t Stacks::Below(uint32_t parent, std::string_view frame) {
  const StringId id = frames_.Intern(frame.empty() ? "(no name)" : frame);
  const auto [at, added] = children_.try_emplace((uint64_t{parent} << 32) | Index(id),
                                                 static_cast<uint32_t>(nodes_.size()));
  if (added) nodes_.push_back({parent, id, {}});
  return at->second;
}

std::vector<uint32_t> Stacks::PathOf(uint32_t node) const {
  std::vector<uint32_t> path;
  for (; node != 0; node = nodes_[node].parent) path.push_back(node);
  std::ranges::reverse(path);
  return path;
}

// The node of every slice. Parents come before their children.
std::vector<uint32_t> Stacks::AddHost(const TraceRows& rows, const StackOptions& options) {
  const Trace& trace = rows.trace();
  const Slices& slices = trace.slices;
  std::vector<uint32_t> node_of(slices.size(), 0);
  for (uint32_t i = 0; i < slices.size(); ++i) {
    const uint32_t around = slices.parent[i] == kNoSlice ? 0 : node_of[Index(slices.parent[i])];
    const bool frame = IsFrame(slices.kind[i], options.by);
    node_of[i] = frame && !IsDeviceWork(slices.kind[i])
                     ? Below(around, trace.strings[slices.name[i]])
                     : around;
    const Track& track = trace.tracks[rows.track_of_slice()[i]];
    if (track.kind != TrackKind::kThread || !Selected(options, i)) continue;
    Weights& own = nodes_[node_of[i]].own;
    if (node_of[i] != 0) own.host_ns += std::max<int64_t>(0, rows.self_time()[i].ns);
    if (frame) ++own.calls;
  }
  return node_of;
}

uint32_t Stacks::HloPath(const TraceRows& rows, uint32_t slice) {
  const Trace& trace = rows.trace();
  const uint32_t args = trace.slices.args[slice];
  const StringId name = args < trace.device_args.size() ? trace.device_args[args].op : kEmptyString;
  const auto op = std::ranges::find(trace.hlo_ops, name, &HloOp::name);
  if (name == kEmptyString || op == trace.hlo_ops.end()) return Below(0, "[unlinked]");
  uint32_t node = 0;
  std::string_view path = trace.strings[op->op_name];
  while (!path.empty()) {
    const size_t end = std::min(path.find('/'), path.size());
    if (end > 0) node = Below(node, path.substr(0, end));
    path.remove_prefix(std::min(end + 1, path.size()));
  }
  return Below(node, trace.strings[name]);
}

void Stacks::AddDevice(const TraceRows& rows, const StackOptions& options,
                       const std::vector<uint32_t>& node_of) {
  const Trace& trace = rows.trace();
  const Links& links = rows.links();
  std::unordered_map<uint32_t, uint32_t> hlo;  // node by name of the instruction
  for (const uint32_t slice : rows.device_work()) {
    if (!Selected(options, slice)) continue;
    const uint32_t args = trace.slices.args[slice];
    uint32_t around = 0;
    if (options.by == StackBy::kHlo) {
      const uint32_t op = args < trace.device_args.size() ? Index(trace.device_args[args].op) : 0;
      const auto [at, added] = hlo.try_emplace(op, 0);
      if (added) at->second = HloPath(rows, slice);
      around = at->second;
    } else {
      SliceId launch = args < links.launch_of.size() ? links.launch_of[args] : kNoSlice;
      if (launch == kNoSlice && args < links.op_of.size()) launch = links.op_of[args];
      around = launch == kNoSlice ? Below(0, "[unlinked]") : node_of[Index(launch)];
    }
    Weights& own = nodes_[Below(around, trace.strings[trace.slices.name[slice]])].own;
    own.device_ns += trace.slices.duration[slice].ns;
    ++own.calls;
    if (args < trace.device_args.size()) {
      own.bytes += std::max<int64_t>(0, trace.device_args[args].bytes);
    }
  }
}

void Stacks::AddIdle(const TraceRows& rows) {
  const uint32_t idle = Below(0, "[idle]");
  for (const IdleGaps& gaps : rows.idle()) {
    for (size_t i = 0; i < gaps.start.size(); ++i) {
      Weights& own = nodes_[Below(idle, NameOf(gaps.cause[i]))].own;
      own.device_ns += gaps.duration[i].ns;
      ++own.calls;
    }
  }
}

void Stacks::Add(const TraceRows& rows, const StackOptions& options) {
  const std::vector<uint32_t> node_of = AddHost(rows, options);
  AddDevice(rows, options, node_of);
  if (options.idle) AddIdle(rows);
}

int64_t ValueOf(const Weights& weights, Weight weight) {
  switch (weight) {
    case Weight::kDevice:
      return weights.device_ns;
    case Weight::kHost:
      return weights.host_ns;
    case Weight::kCalls:
      return weights.calls;
    case Weight::kBytes:
      return weights.bytes;
  }
  std::unreachable();
}

WeightName NameOf(Weight weight) {
  switch (weight) {
    case Weight::kDevice:
      return {"device_time", "nanoseconds"};
    case Weight::kHost:
      return {"host_self", "nanoseconds"};
    case Weight::kCalls:
      return {"calls", "count"};
    case Weight::kBytes:
      return {"bytes", "bytes"};
  }
  std::unreachable();
}

FrameParts PartsOf(std::string_view frame) {
  const size_t open = frame.find('(');
  const size_t close = frame.find("): ", open == std::string_view::npos ? 0 : open);
  if (open == std::string_view::npos || close == std::string_view::npos) return {frame, {}, 0};
  FrameParts parts{frame.substr(close + 3), frame.substr(0, open), 0};
  const char* const end = frame.data() + close;
  const auto [at, error] = std::from_chars(frame.data() + open + 1, end, parts.line);
  if (error != std::errc() || at != end) return {frame, {}, 0};
  return parts;
}

}  // namespace stepscope::exported
