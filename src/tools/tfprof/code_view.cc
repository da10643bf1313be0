#include <map>
#include <unordered_map>

#include "tools/tfprof/groups.h"
#include "tools/tfprof/start_search.h"
#include "tools/tfprof/view.h"
#include "tools/tfprof/walk.h"

namespace stepscope::tfprof {
namespace {

constexpr std::string_view kGradientSuffix = " (gradient)";
constexpr size_t kLongestFunction = 20;

std::string FrameName(const Model& model, const Frame& frame) {
  const std::string_view file = model.Text(frame.file);
  const std::string_view function = model.Text(frame.function);
  if (file.empty() && frame.line == 0) return std::string(function);  // a module or built-in
  std::string name(file.substr(file.rfind('/') + 1));
  name += ':' + std::to_string(frame.line) + ':';
  name += function.substr(0, function.size() < kLongestFunction ? function.size() : 17);
  if (function.size() >= kLongestFunction) name += "...";
  return name;
}

// The forward op that a node's name says it is the gradient of, or empty:
// …gradients/<forward>_grad/….
std::string_view ForwardOf(std::string_view name) {
  constexpr std::string_view kPrefix = "gradients/";
  const size_t prefix = name.find(kPrefix);
  const size_t suffix = name.find("_grad/");
  if (prefix == std::string_view::npos || suffix == std::string_view::npos) return {};
  const size_t start = prefix + kPrefix.size();
  // If the suffix comes before the prefix, tfprof's unsigned length wraps, so that everything after
  // the prefix is taken.
  if (suffix == start) return {};
  return suffix < start ? name.substr(start) : name.substr(start, suffix - start);
}

// Grows the tree of frames. A frame's name is unique only below its caller.
class FrameTree {
 public:
  FrameTree(const Model& model, View& view) : model_(model), view_(view) {
    view_.nodes.emplace_back().name = kRoot;
    nodes_.emplace_back();
    by_name_.emplace_back();
  }

  // The row of the innermost of these frames.
  uint32_t RowOf(std::span<const Frame> frames, bool gradient) {
    uint32_t row = 0;
    for (const Frame& frame : frames) row = Below(row, frame, gradient);
    return row;
  }
  void AddMember(uint32_t row, int32_t node) { nodes_[row].push_back(node); }
  const std::vector<int32_t>& NodesOf(uint32_t row) const { return nodes_[row]; }
  // Moves the names into the view and lets the rows look at them.
  void GiveNames() {
    view_.storage = std::move(names_);
    for (size_t row = 1; row < view_.nodes.size(); ++row) {
      view_.nodes[row].name = view_.storage[row - 1];
    }
  }

 private:
  uint32_t Below(uint32_t caller, const Frame& frame, bool gradient) {
    std::string name = FrameName(model_, frame);
    if (gradient) name += kGradientSuffix;
    const auto [found, added] =
        by_name_[caller].try_emplace(std::move(name), static_cast<uint32_t>(view_.nodes.size()));
    const uint32_t row = found->second;
    if (!added) return row;
    view_.nodes[caller].children.push_back(row);
    ViewNode& node = view_.nodes.emplace_back();
    node.frame = &frame;
    node.gradient = gradient;
    names_.push_back(found->first);
    nodes_.emplace_back();
    by_name_.emplace_back();
    return row;
  }

  const Model& model_;
  View& view_;
  std::vector<std::vector<int32_t>> nodes_;  // by row
  std::vector<std::unordered_map<std::string, uint32_t>> by_name_;
  std::vector<std::string> names_;  // of rows 1 and on
};

void BuildTree(const Model& model, FrameTree& tree, View& view) {
  std::unordered_map<std::string_view, size_t> forward;
  std::map<std::string_view, std::vector<int32_t>> gradients;
  for (size_t i = 0; i < model.nodes().size(); ++i) {
    const Node& node = model.nodes()[i];
    if (node.frame_count == 0) continue;
    if (const std::string_view name = ForwardOf(node.name); !name.empty()) {
      gradients[name].push_back(static_cast<int32_t>(i));
      continue;
    }
    forward.emplace(node.name, i);
    tree.AddMember(tree.RowOf(model.FramesOf(node), false), static_cast<int32_t>(i));
  }
  uint64_t unaccounted = 0;
  for (const auto& [name, nodes] : gradients) {
    const auto found = forward.find(name);
    if (found == forward.end()) {
      ++unaccounted;
      continue;
    }
    const uint32_t row = tree.RowOf(model.FramesOf(model.nodes()[found->second]), true);
    for (const int32_t node : nodes) tree.AddMember(row, node);
  }
  if (unaccounted > 0) {
    view.notes.push_back(std::to_string(unaccounted) + " gradient nodes not accounted");
  }
}

class Accountant {
 public:
  Accountant(const Model& model, const Filter& filter, const FrameTree& tree, View& view)
      : model_(model), filter_(filter), tree_(tree), view_(view) {}

  bool Enter(uint32_t, WalkPlace) { return true; }
  const std::vector<uint32_t>* Descend(uint32_t row, WalkPlace, WalkPlace&) {
    return &view_.nodes[row].children;
  }
  void Leave(uint32_t row, WalkPlace, std::vector<uint32_t>& below, std::vector<uint32_t>& up) {
    ViewNode& node = view_.nodes[row];
    if (!AccountGroup(model_, filter_, tree_.NodesOf(row), node) && below.empty()) return;
    node.total = node.self;
    for (const uint32_t child : below) node.total += view_.nodes[child].total;
    node.shown_children = std::move(below);
    up.push_back(row);
  }

 private:
  const Model& model_;
  const Filter& filter_;
  const FrameTree& tree_;
  View& view_;
};

// Unlike in the other trees, trimmed frames and frames that are too deep go away themselves, not
// only what is below them.
class Shower {
 public:
  Shower(const Filter& filter, View& view)
      : filter_(filter), view_(view), shown_(view.nodes.size()) {}

  bool Enter(uint32_t row, WalkPlace place) {
    if (place.depth > filter_.options().max_depth || filter_.Trims(view_.nodes[row].name)) {
      return false;
    }
    shown_[row] = filter_.ShowsGroup(view_.nodes[row], place.depth);
    return true;
  }
  const std::vector<uint32_t>* Descend(uint32_t row, WalkPlace, WalkPlace& below) {
    if (shown_[row]) ++below.indent;
    return &view_.nodes[row].shown_children;
  }
  void Leave(uint32_t row, WalkPlace place, std::vector<uint32_t>& below,
             std::vector<uint32_t>& up) {
    if (!shown_[row]) {
      HandUp(below, up);
      return;
    }
    ViewNode& node = view_.nodes[row];
    node.indent = place.indent;
    SortNodes(below, view_, filter_.options());
    node.shown_children = std::move(below);
    up.push_back(row);
  }

 private:
  const Filter& filter_;
  View& view_;
  std::vector<bool> shown_;
};

}  // namespace

View CodeView(const Model& model, const Options& options) {
  View view;
  view.kind = ViewKind::kCode;
  const Filter filter(model, options);
  FrameTree tree(model, view);
  BuildTree(model, tree, view);
  tree.GiveNames();
  if (options.account_displayed_op_only) {
    view.notes.push_back("Note: code view ignores account_displayed_op_only");
  }
  ViewNode& root = view.nodes[view.root];
  std::vector<uint32_t> tops = WalkForest(root.children, {}, Accountant(model, filter, tree, view));
  for (const uint32_t top : tops) root.total += view.nodes[top].total;
  if (!filter.starts_anywhere()) tops = WalkForest(tops, {}, StartSearch(filter, view));
  root.shown_children = std::move(tops);
  const uint32_t roots[] = {view.root};
  view.root_shown = !WalkForest(roots, {}, Shower(filter, view)).empty();
  if (!view.root_shown) root.shown_children.clear();
  return view;
}

}  // namespace stepscope::tfprof
