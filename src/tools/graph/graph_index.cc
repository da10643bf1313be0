#include "tools/graph/graph_index.h"

#include <charconv>

namespace stepscope {

GraphIndex::GraphIndex(const GraphDef& graph)
    : graph_(&graph),
      inputs_(graph.nodes.size()),
      controls_(graph.nodes.size()),
      consumers_(graph.nodes.size()) {
  by_name_.reserve(graph.nodes.size());
  for (uint32_t i = 0; i < graph.nodes.size(); ++i) by_name_.emplace(graph.nodes[i].name, i);
  for (uint32_t i = 0; i < graph.nodes.size(); ++i) {
    for (std::string_view input : graph.nodes[i].inputs) {
      const bool control = input.starts_with('^');
      if (control) input.remove_prefix(1);
      uint32_t output = 0;
      if (const size_t colon = input.rfind(':'); colon != std::string_view::npos) {
        std::from_chars(input.data() + colon + 1, input.data() + input.size(), output);
        input = input.substr(0, colon);
      }
      const uint32_t source = Find(input);
      if (source == size()) ++dangling_;
      if (!control) {
        inputs_[i].push_back({source, output});
        if (source != size()) consumers_[source].push_back(i);
      } else if (source != size()) {
        controls_[i].push_back(source);
      }
    }
  }
}

uint32_t GraphIndex::Find(std::string_view name) const {
  const auto found = by_name_.find(name);
  return found == by_name_.end() ? size() : found->second;
}

}  // namespace stepscope
