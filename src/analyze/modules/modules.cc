#include "analyze/modules/modules.h"

#include <algorithm>
#include <string_view>
#include <tuple>

#include "analyze/flat_index.h"
#include "analyze/ops/call_tree.h"

namespace stepscope {
namespace {

// Deeper calls count towards their ancestor at this depth; no model nests as deep.
constexpr uint32_t kMaxDepth = 64;

// "nn.Module: Linear_3" is shown as "Linear_3".
std::string_view ShortName(std::string_view frame) {
  const size_t at = frame.find(": ");
  return at == std::string_view::npos ? frame : frame.substr(at + 2);
}

// Nodes are distinct paths.
struct Tree {
  struct Node {
    StringId name = kEmptyString;
    uint64_t calls = 0;
    DurationNs host;
    DurationNs device;
    uint32_t depth = 0;
    std::vector<uint32_t> children;
  };
  std::vector<Node> nodes;
  std::vector<uint32_t> roots;
};

Tree TreeOf(const Trace& trace, const CallTree& calls, const std::vector<DurationNs>& device) {
  Tree tree;
  FlatIndex index;  // (parent's node + 1, name)
  std::vector<uint32_t> node_of(calls.size());
  for (uint32_t call = 0; call < calls.size(); ++call) {
    const uint32_t slice = calls.SliceOf(call);
    const StringId name = trace.slices.name[slice];
    const uint32_t around = calls.ParentOf(call);
    const uint64_t parent = around == kNoRow ? 0 : uint64_t{node_of[around]} + 1;
    const uint32_t depth = parent == 0 ? 0 : tree.nodes[parent - 1].depth + 1;
    if (depth == kMaxDepth) {
      node_of[call] = node_of[around];
      continue;
    }
    const uint32_t at = index.Of(parent << 32 | Index(name));
    if (at == tree.nodes.size()) {
      tree.nodes.push_back({name, 0, {}, {}, depth, {}});
      (parent == 0 ? tree.roots : tree.nodes[parent - 1].children).push_back(at);
    }
    node_of[call] = at;
    Tree::Node& node = tree.nodes[at];
    ++node.calls;
    node.host += trace.slices.duration[slice];
    node.device += device[call];
  }
  return tree;
}

void Append(const Trace& trace, const Tree& tree, std::vector<uint32_t> siblings,
            const std::string& prefix, std::vector<ScopeRow>& rows) {
  std::sort(siblings.begin(), siblings.end(), [&](uint32_t a, uint32_t b) {
    const Tree::Node& left = tree.nodes[a];
    const Tree::Node& right = tree.nodes[b];
    return std::tuple(right.device, right.host, trace.strings[left.name]) <
           std::tuple(left.device, left.host, trace.strings[right.name]);
  });
  for (const uint32_t at : siblings) {
    const Tree::Node& node = tree.nodes[at];
    const std::string path = prefix + std::string(ShortName(trace.strings[node.name]));
    rows.push_back({path, node.calls, node.host, node.device});
    Append(trace, tree, node.children, path + " > ", rows);
  }
}

}  // namespace

std::vector<ScopeRow> AnalyzeModules(const Trace& trace, const Links& links,
                                     const DeviceWork& work) {
  std::vector<ScopeRow> rows;
  if (trace.frame_args.empty()) return rows;
  const CallTree calls(Kind::kModuleFrame, trace);
  if (calls.size() == 0) return rows;
  const std::vector<DurationNs> device =
      DeviceTotals(links, work, calls, [](const Work&) { return true; });
  const Tree tree = TreeOf(trace, calls, device);
  Append(trace, tree, tree.roots, "", rows);
  return rows;
}

}  // namespace stepscope
