#include "tools/tfprof/filter.h"

#include <algorithm>
#include <array>

namespace stepscope::tfprof {

Filter::Filter(const Model& model, const Options& options)
    : model_(model),
      options_(options),
      account_(options.account_type_regexes),
      start_(options.start_name_regexes),
      trim_(options.trim_name_regexes),
      show_(options.show_name_regexes),
      hide_(options.hide_name_regexes) {
  if (account_.everything()) return;
  std::vector<bool> is_type(model.strings().size());
  for (const Node& node : model.nodes()) {
    for (const StringId type : node.types) is_type[Index(type)] = true;
  }
  type_matches_.assign(account_.size(), std::vector<bool>(is_type.size()));
  for (size_t regex = 0; regex < account_.size(); ++regex) {
    for (uint32_t type = 0; type < is_type.size(); ++type) {
      type_matches_[regex][type] =
          is_type[type] && account_.Matches(regex, model_.Text(StringId{type}));
    }
  }
}

bool Filter::Accounts(const Node& node) const {
  if (account_.everything()) return true;
  for (const std::vector<bool>& matches : type_matches_) {
    for (const StringId type : node.types) {
      if (matches[Index(type)]) return true;
    }
  }
  return false;
}

std::vector<int32_t> Filter::Pick(const std::vector<int32_t>& nodes) const {
  if (account_.everything()) return nodes;
  std::vector<int32_t> picked;
  for (const std::vector<bool>& matches : type_matches_) {
    for (const int32_t index : nodes) {
      const Node& node = model_.nodes()[static_cast<size_t>(index)];
      if (std::any_of(node.types.begin(), node.types.end(),
                      [&](StringId type) { return matches[Index(type)]; })) {
        picked.push_back(index);
      }
    }
  }
  return picked;
}

bool Filter::ShowsTotals(const Stats& total, int64_t depth) const {
  return total.requested_bytes >= options_.min_bytes &&
         total.peak_bytes >= options_.min_peak_bytes &&
         total.residual_bytes >= options_.min_residual_bytes &&
         total.output_bytes >= options_.min_output_bytes && total.micros >= options_.min_micros &&
         total.accelerator_micros >= options_.min_accelerator_micros &&
         total.cpu_micros >= options_.min_cpu_micros && depth <= options_.max_depth;
}

bool Filter::ShowsName(std::string_view name) const {
  return (show_.everything() || show_.AnyMatches(name)) && !hide_.AnyMatches(name);
}

bool Filter::ShowsTreeNode(const ViewNode& node, int64_t depth) const {
  if (node.name == kRoot) return true;
  return ShowsTotals(node.total, depth) && node.self.parameters >= options_.min_params &&
         node.self.float_ops >= options_.min_float_ops &&
         node.self.run_count >= options_.min_occurrence && ShowsName(node.name);
}

bool Filter::ShowsGroup(const ViewNode& node, int64_t depth) const {
  if (node.name == kRoot) return true;
  return ShowsTotals(node.total, depth) && node.total.parameters >= options_.min_params &&
         node.total.float_ops >= options_.min_float_ops && ShowsName(node.name);
}

namespace {

struct OrderRow {
  std::string_view name;
  int64_t Stats::* member;
};
constexpr std::array<OrderRow, 9> kOrders{{
    {"bytes", &Stats::requested_bytes},
    {"peak_bytes", &Stats::peak_bytes},
    {"residual_bytes", &Stats::residual_bytes},
    {"output_bytes", &Stats::output_bytes},
    {"micros", &Stats::micros},
    {"accelerator_micros", &Stats::accelerator_micros},
    {"cpu_micros", &Stats::cpu_micros},
    {"params", &Stats::parameters},
    {"float_ops", &Stats::float_ops},
}};

}  // namespace

void SortNodes(std::vector<uint32_t>& rows, const View& view, const Options& options) {
  if (options.order_by.empty()) return;
  const auto& nodes = view.nodes;
  const auto order = std::find_if(kOrders.begin(), kOrders.end(), [&](const OrderRow& each) {
    return each.name == options.order_by;
  });
  if (order != kOrders.end()) {
    std::stable_sort(rows.begin(), rows.end(), [&](uint32_t a, uint32_t b) {
      return nodes[a].total.*order->member > nodes[b].total.*order->member;
    });
    return;
  }
  const bool grouped = view.kind == ViewKind::kOp || view.kind == ViewKind::kCode;
  if (grouped && options.order_by == "occurrence") {
    std::stable_sort(rows.begin(), rows.end(), [&](uint32_t a, uint32_t b) {
      return nodes[a].members.size() > nodes[b].members.size();
    });
    return;
  }
  std::stable_sort(rows.begin(), rows.end(),
                   [&](uint32_t a, uint32_t b) { return nodes[a].name < nodes[b].name; });
}

}  // namespace stepscope::tfprof
