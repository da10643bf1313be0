#include "present/html/explore_json.h"

#include <set>
#include <string>

namespace stepscope {

// Columns, not objects: a tree has thousands of nodes.
void WriteFlame(const FlameTree& tree, JsonWriter& json) {
  const auto column = [&](std::string_view name, const auto& rows, auto value) {
    json.Key(name);
    json.BeginArray();
    for (const auto& row : rows) json.Value(value(row));
    json.EndArray();
  };
  json.BeginObject();
  column("names", tree.names, [](const std::string& name) { return std::string_view(name); });
  column("name", tree.nodes, [](const FlameNode& node) { return node.name; });
  column("value", tree.nodes, [](const FlameNode& node) { return node.value.ns; });
  column("calls", tree.nodes, [](const FlameNode& node) { return node.calls; });
  column("kind", tree.nodes, [](const FlameNode& node) { return NameOf(node.kind); });
  json.Key("parent");
  json.BeginArray();
  for (size_t i = 0; i < tree.nodes.size(); ++i) {
    json.Value(i == 0 ? int64_t{-1} : int64_t{tree.nodes[i].parent});
  }
  json.EndArray();
  json.Field("left_out", tree.left_out);
  json.EndObject();
}

void WriteCriticalPath(const Trace& trace, const CriticalPath& path, JsonWriter& json) {
  const auto column = [&](std::string_view name, auto value) {
    json.Key(name);
    json.BeginArray();
    for (const CriticalSpan& span : path.spans) json.Value(value(span));
    json.EndArray();
  };
  const auto known = [](const CriticalSpan& span) { return span.slice != kNoSlice; };
  const auto name_of = [&](const CriticalSpan& span) {
    return known(span) ? int64_t{Index(trace.slices.name[Index(span.slice)])} : int64_t{-1};
  };
  json.BeginObject();
  column("start_ns", [](const CriticalSpan& span) { return span.start.ns; });
  column("ns", [](const CriticalSpan& span) { return (span.end - span.start).ns; });
  column("row", [&](const CriticalSpan& span) {
    return known(span) ? int64_t{Index(span.slice)} : int64_t{-1};
  });
  column("kind", [&](const CriticalSpan& span) {
    return NameOf(known(span) ? trace.slices.kind[Index(span.slice)] : Kind::kOther);
  });
  column("name", name_of);
  json.Key("names");
  json.BeginObject();
  std::set<StringId> names;
  for (const CriticalRow& row : path.rows) names.insert(row.name);
  for (const StringId name : names) json.Field(std::to_string(Index(name)), trace.strings[name]);
  json.EndObject();
  json.EndObject();
}

}  // namespace stepscope
