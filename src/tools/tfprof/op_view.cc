#include <algorithm>
#include <map>

#include "tools/tfprof/groups.h"
#include "tools/tfprof/view.h"

namespace stepscope::tfprof {
namespace {

// total = self plus the totals of all rows after it: a running sum from the end of the list.
void SumFromTheEnd(const std::vector<uint32_t>& rows, View& view) {
  const ViewNode* next = nullptr;
  for (auto it = rows.rbegin(); it != rows.rend(); ++it) {
    ViewNode& node = view.nodes[*it];
    node.total = node.self;
    if (next != nullptr) node.total += next->total;
    next = &node;
  }
}

bool Shows(const Filter& filter, const ViewNode& node, int64_t depth) {
  const auto occurrences = static_cast<int64_t>(node.members.size());
  return filter.ShowsGroup(node, depth) && occurrences >= filter.options().min_occurrence;
}

std::vector<uint32_t> RowsToShow(const Filter& filter, const View& view,
                                 const std::vector<uint32_t>& rows) {
  size_t first = 0;
  if (!filter.starts_anywhere() && !filter.no_start_regex()) {
    while (first < rows.size() && !filter.Starts(view.nodes[rows[first]].name)) ++first;
  }
  std::vector<uint32_t> shown;
  for (size_t i = first; i < rows.size(); ++i) {
    const ViewNode& node = view.nodes[rows[i]];
    // The list begins at depth 0, so that max_depth + 1 rows fit.
    const auto depth = static_cast<int64_t>(i - first);
    if (depth > filter.options().max_depth || filter.Trims(node.name)) break;
    if (Shows(filter, node, depth)) shown.push_back(rows[i]);
  }
  return shown;
}

}  // namespace

View OpView(const Model& model, const Options& options) {
  View view;
  view.kind = ViewKind::kOp;
  view.root_shown = false;
  const Filter filter(model, options);
  std::map<std::string_view, std::vector<int32_t>> nodes_of_op;
  for (size_t i = 0; i < model.nodes().size(); ++i) {
    nodes_of_op[model.nodes()[i].op].push_back(static_cast<int32_t>(i));
  }
  std::vector<uint32_t> rows;
  for (const auto& [op, nodes] : nodes_of_op) {
    rows.push_back(static_cast<uint32_t>(view.nodes.size()));
    ViewNode& row = view.nodes.emplace_back();
    row.name = op;
    AccountGroup(model, filter, nodes, row);
    row.total = row.self;
  }
  view.root = static_cast<uint32_t>(view.nodes.size());
  view.nodes.emplace_back().name = kRoot;
  SortNodes(rows, view, options);
  std::erase_if(rows, [&](uint32_t row) { return !view.nodes[row].accounted; });
  SumFromTheEnd(rows, view);
  ViewNode& root = view.nodes[view.root];
  if (!rows.empty()) root.total = view.nodes[rows.front()].total;
  root.shown_children = RowsToShow(filter, view, rows);
  if (options.account_displayed_op_only) {
    SumFromTheEnd(root.shown_children, view);
    root.total =
        root.shown_children.empty() ? Stats{} : view.nodes[root.shown_children.front()].total;
  }
  return view;
}

}  // namespace stepscope::tfprof
