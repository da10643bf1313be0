// The scope and the graph view: trees of single nodes.
#include <algorithm>
#include <unordered_map>

#include "tools/tfprof/filter.h"
#include "tools/tfprof/start_search.h"
#include "tools/tfprof/view.h"
#include "tools/tfprof/walk.h"

namespace stepscope::tfprof {
namespace {

constexpr std::string_view kScopeParentType = "_kTFScopeParent";

// Which nodes count, and what they add up to. In scope view a node stays if anything below it
// counts; in graph view it is skipped and what counts below it moves up to its consumer. Every node
// is visited once: in a graph it belongs to the first consumer that reaches it.
class Accountant {
 public:
  // A regex may name the type that tfprof gives made-up parents.
  Accountant(const Model& model, const Filter& filter, bool accounts_parents, View& view)
      : model_(model),
        filter_(filter),
        accounts_parents_(accounts_parents),
        view_(view),
        visited_(view.nodes.size()) {}

  bool Enter(uint32_t row, WalkPlace) {
    if (visited_[row]) return false;
    visited_[row] = true;
    return true;
  }
  const std::vector<uint32_t>* Descend(uint32_t row, WalkPlace, WalkPlace&) {
    return &view_.nodes[row].children;
  }
  void Leave(uint32_t row, WalkPlace, std::vector<uint32_t>& below, std::vector<uint32_t>& up) {
    ViewNode& node = view_.nodes[row];
    if (node.node == kNoNode) {
      node.accounted = filter_.accounts_everything() || accounts_parents_;
      node.self = Stats{};
      node.self.definitions = 1;
    } else {
      const Node& source = model_.nodes()[static_cast<size_t>(node.node)];
      node.accounted = filter_.Accounts(source);
      node.self = model_.StatsOf(source, filter_.options().step);
    }
    const bool stays = node.accounted || (view_.kind == ViewKind::kScope && !below.empty());
    if (!stays) {
      HandUp(below, up);
      return;
    }
    node.total = node.self;
    for (const uint32_t child : below) node.total += view_.nodes[child].total;
    node.shown_children = std::move(below);
    up.push_back(row);
  }

 private:
  const Model& model_;
  const Filter& filter_;
  const bool accounts_parents_;
  View& view_;
  std::vector<bool> visited_;
};

// Drops what filters hide and sorts the rest.
class Shower {
 public:
  Shower(const Filter& filter, View& view)
      : filter_(filter), view_(view), shown_(view.nodes.size()) {}

  bool Enter(uint32_t row, WalkPlace place) {
    shown_[row] = filter_.ShowsTreeNode(view_.nodes[row], place.depth);
    return true;
  }
  const std::vector<uint32_t>* Descend(uint32_t row, WalkPlace place, WalkPlace& below) {
    if (shown_[row]) ++below.indent;
    const bool goes_on =
        place.depth <= filter_.options().max_depth && !filter_.Trims(view_.nodes[row].name);
    return goes_on ? &view_.nodes[row].shown_children : nullptr;
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
    if (filter_.options().account_displayed_op_only) {
      node.total = node.self;
      for (const uint32_t child : below) node.total += view_.nodes[child].total;
    }
    node.shown_children = std::move(below);
    up.push_back(row);
  }

 private:
  const Filter& filter_;
  View& view_;
  std::vector<bool> shown_;
};

void Show(const Model& model, const Options& options, View& view) {
  const Filter filter(model, options);
  ViewNode& root = view.nodes[view.root];
  root.self.definitions = 1;
  const bool accounts_parents = Regexes(options.account_type_regexes).AnyMatches(kScopeParentType);
  std::vector<uint32_t> tops =
      WalkForest(root.children, {}, Accountant(model, filter, accounts_parents, view));
  for (const uint32_t top : tops) root.total += view.nodes[top].total;
  if (!filter.starts_anywhere()) tops = WalkForest(tops, {}, StartSearch(filter, view));
  root.shown_children = std::move(tops);
  const uint32_t roots[] = {view.root};
  WalkForest(roots, {}, Shower(filter, view));
}

}  // namespace

std::string Indentation(uint32_t levels) {
  constexpr uint32_t kMost = 200;
  if (levels <= kMost) return std::string(size_t{2} * levels, ' ');
  return std::string(size_t{2} * kMost, ' ') + "(+" + std::to_string(levels - kMost) + ") ";
}

View ScopeView(const Model& model, const Options& options) {
  View view;
  view.kind = ViewKind::kScope;
  // Rows by name: those of the model are sorted already, made-up parents are found on the way.
  std::unordered_map<std::string_view, uint32_t> rows;
  rows.reserve(model.nodes().size() * 2);
  view.nodes.reserve(model.nodes().size() + model.nodes().size() / 4 + 1);
  for (size_t i = 0; i < model.nodes().size(); ++i) {
    const Node& node = model.nodes()[i];
    rows.emplace(node.name, static_cast<uint32_t>(view.nodes.size()));
    ViewNode& row = view.nodes.emplace_back();
    row.name = node.name;
    row.node = static_cast<int32_t>(i);
  }
  for (const Node& node : model.nodes()) {
    for (size_t slash = node.name.rfind('/'); slash != std::string_view::npos;) {
      const std::string_view prefix = node.name.substr(0, slash);
      if (!rows.emplace(prefix, static_cast<uint32_t>(view.nodes.size())).second) break;
      view.nodes.emplace_back().name = prefix;
      slash = prefix.rfind('/');
    }
  }
  // The model's nodes are sorted; only the made-up ones are not.
  std::vector<uint32_t> by_name(view.nodes.size());
  for (uint32_t i = 0; i < by_name.size(); ++i) by_name[i] = i;
  const auto before = [&](uint32_t a, uint32_t b) {
    return view.nodes[a].name < view.nodes[b].name;
  };
  const auto made_up = by_name.begin() + static_cast<ptrdiff_t>(model.nodes().size());
  std::sort(made_up, by_name.end(), before);
  std::inplace_merge(by_name.begin(), made_up, by_name.end(), before);
  // A node of the root's own name becomes the root.
  const auto own = rows.find(kRoot);
  view.root = own == rows.end() ? static_cast<uint32_t>(view.nodes.size()) : own->second;
  if (own == rows.end()) view.nodes.emplace_back().name = kRoot;
  for (const uint32_t row : by_name) {
    if (row == view.root) continue;
    const std::string_view name = view.nodes[row].name;
    const size_t slash = name.rfind('/');
    const uint32_t parent =
        slash == std::string_view::npos ? view.root : rows.at(name.substr(0, slash));
    view.nodes[parent].children.push_back(row);
  }
  Show(model, options, view);
  return view;
}

View GraphView(const Model& model, const Options& options) {
  View view;
  view.kind = ViewKind::kGraph;
  view.nodes.resize(model.nodes().size() + 1);
  view.root = static_cast<uint32_t>(model.nodes().size());
  view.nodes[view.root].name = kRoot;
  std::vector<bool> consumed(view.nodes.size());
  for (size_t i = 0; i < model.nodes().size(); ++i) {
    ViewNode& row = view.nodes[i];
    row.name = model.nodes()[i].name;
    row.node = static_cast<int32_t>(i);
    for (const NodeInput& input : model.nodes()[i].inputs) {
      if (input.node == kNoNode) continue;
      row.children.push_back(static_cast<uint32_t>(input.node));
      consumed[static_cast<size_t>(input.node)] = true;
    }
  }
  for (uint32_t i = 0; i < view.root; ++i) {
    if (!consumed[i]) view.nodes[view.root].children.push_back(i);
  }
  Show(model, options, view);
  return view;
}

}  // namespace stepscope::tfprof
