#include "tools/tfprof/groups.h"

#include <algorithm>

namespace stepscope::tfprof {
namespace {

void SortUnique(std::vector<StringId>& ids, const Model& model) {
  std::sort(ids.begin(), ids.end(),
            [&](StringId a, StringId b) { return model.Text(a) < model.Text(b); });
  ids.erase(std::unique(ids.begin(), ids.end()), ids.end());
}

}  // namespace

bool AccountGroup(const Model& model, const Filter& filter, const std::vector<int32_t>& nodes,
                  ViewNode& row) {
  row.self = Stats{};
  row.members = filter.Pick(nodes);
  for (const int32_t index : row.members) {
    const Node& node = model.nodes()[static_cast<size_t>(index)];
    row.self += model.StatsOf(node, filter.options().step);
    row.devices.push_back(node.device);
    row.types.insert(row.types.end(), node.types.begin(), node.types.end());
  }
  row.accounted = filter.accounts_everything() || !row.members.empty();
  // Model order is name order.
  std::sort(row.members.begin(), row.members.end());
  row.members.erase(std::unique(row.members.begin(), row.members.end()), row.members.end());
  SortUnique(row.devices, model);
  SortUnique(row.types, model);
  return row.accounted;
}

}  // namespace stepscope::tfprof
