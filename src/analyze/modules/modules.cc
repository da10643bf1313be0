#include "analyze/modules/modules.h"

#include <algorithm>
#include <string_view>

#include "analyze/modules/scope_tree.h"
#include "analyze/ops/call_tree.h"
#include "base/string_table.h"

namespace stepscope {
namespace {

// "nn.Module: Linear_3" is shown as "Linear_3".
std::string_view ModuleName(std::string_view frame) {
  const size_t at = frame.find(": ");
  return at == std::string_view::npos ? frame : frame.substr(at + 2);
}

// The place where a package is installed says nothing about the program.
std::string_view FrameName(std::string_view frame) {
  constexpr std::string_view kPackages = "site-packages/";
  const size_t at = frame.rfind(kPackages);
  return at == std::string_view::npos ? frame : frame.substr(at + kPackages.size());
}

// Frames as recorded, nested in each other.
std::vector<ScopeRow> RowsOfFrames(Kind kind, const Trace& trace, const Links& links,
                                   const DeviceWork& work, const StepSelection& selection) {
  const CallTree calls(kind, trace);
  const DeviceTotals device(trace, links, work, calls);
  ScopeTree tree;
  std::vector<uint32_t> node_of(calls.size());
  for (uint32_t call = 0; call < calls.size(); ++call) {
    const uint32_t slice = calls.SliceOf(call);
    const StringId name = trace.slices.name[slice];
    const uint32_t around = calls.ParentOf(call);
    const uint32_t parent = around == kNoRow ? ScopeTree::kTop : node_of[around];
    const std::string_view shown = kind == Kind::kModuleFrame ? ModuleName(trace.strings[name])
                                                              : FrameName(trace.strings[name]);
    node_of[call] = tree.Below(parent, Index(name), shown);
    const bool cut = node_of[call] == parent;  // its time is the ancestor's
    if (cut || !selection.Contains(trace.slices.start[slice])) continue;
    ScopeTree::Node& node = tree[node_of[call]];
    ++node.calls;
    node.host += trace.slices.duration[slice];
    node.device += device.All(call);
  }
  return tree.Rows();
}

// The node of a stack as the file spells it: frames joined by ';', innermost first.
uint32_t NodeOfStack(std::string_view stack, StringTable& names, ScopeTree& tree) {
  uint32_t node = ScopeTree::kTop;
  while (!stack.empty()) {
    const size_t semicolon = stack.rfind(';');
    const size_t from = semicolon == std::string_view::npos ? 0 : semicolon + 1;
    const std::string_view frame = FrameName(stack.substr(from));
    stack = stack.substr(0, from == 0 ? 0 : semicolon);
    if (!frame.empty()) node = tree.Below(node, Index(names.Intern(frame)), frame);
  }
  return node;
}

// Stacks that ops carry. An op inside another has the same stack or none, so each op adds only what
// is its own.
std::vector<ScopeRow> RowsOfStacks(const Trace& trace, const Links& links, const DeviceWork& work,
                                   const StepSelection& selection) {
  const CallTree calls(Kind::kOp, trace);
  const DeviceTotals device(trace, links, work, calls);
  StringTable names;
  ScopeTree tree;
  constexpr uint32_t kNotYet = kNoRow - 1;
  std::vector<uint32_t> node_of_stack(trace.strings.size(), kNotYet);
  std::vector<uint32_t> node_of(calls.size(), ScopeTree::kTop);
  for (uint32_t call = 0; call < calls.size(); ++call) {
    const uint32_t slice = calls.SliceOf(call);
    const uint32_t parent = calls.ParentOf(call);
    const uint32_t around = parent == kNoRow ? ScopeTree::kTop : node_of[parent];
    const uint32_t args = trace.slices.args[slice];
    const StringId stack = args == kNoRow ? kEmptyString : trace.op_args[args].stack;
    uint32_t& known = node_of_stack[Index(stack)];
    if (known == kNotYet) known = NodeOfStack(trace.strings[stack], names, tree);
    node_of[call] = known == ScopeTree::kTop ? around : known;
    if (!selection.Contains(trace.slices.start[slice])) continue;
    const DurationNs host = trace.slices.duration[slice];
    if (node_of[call] != ScopeTree::kTop) {
      ScopeTree::Node& node = tree[node_of[call]];
      ++node.calls;
      node.host += host;
      node.device += device.All(call);
    }
    if (around != ScopeTree::kTop) {
      tree[around].host -= host;
      tree[around].device -= device.All(call);
    }
  }
  tree.AddUp();
  return tree.Rows();
}

bool Has(const Trace& trace, Kind kind) {
  return std::find(trace.slices.kind.begin(), trace.slices.kind.end(), kind) !=
         trace.slices.kind.end();
}

bool HasStacks(const Trace& trace) {
  return std::any_of(trace.op_args.begin(), trace.op_args.end(),
                     [](const OpArgs& args) { return args.stack != kEmptyString; });
}

}  // namespace

std::vector<ScopeRow> AnalyzeModules(const Trace& trace, const Links& links, const DeviceWork& work,
                                     const StepSelection& selection) {
  for (const Kind kind : {Kind::kModuleFrame, Kind::kPythonFrame}) {
    if (!trace.frame_args.empty() && Has(trace, kind)) {
      return RowsOfFrames(kind, trace, links, work, selection);
    }
  }
  if (HasStacks(trace)) return RowsOfStacks(trace, links, work, selection);
  return {};
}

}  // namespace stepscope
