#include "serve/profile_graph.h"

#include <memory>
#include <utility>

#include "read/graph_def/graph_def.h"
#include "read/run_metadata/run_metadata_proto.h"
#include "read/tfevents/run_log.h"
#include "serve/profile_files.h"

namespace stepscope {
namespace {

// Faults of these files were reported when the profile was read.
GraphDef OfFile(const std::string& path) {
  Diagnostics said_before;
  Result<GraphDef> graph = ReadGraphDef(path, said_before);
  return graph ? std::move(*graph) : GraphDef{};
}

GraphDef OfEventFile(const Trace& trace) {
  const auto message = std::make_shared<std::string>();
  ReadRunOptions options;
  options.embedded = [&](const EmbeddedMessage& found) {
    if (found.kind == TagKind::kGraph && message->empty()) *message = found.bytes;
  };
  (void)ReadRun(trace.path, {trace.path}, options);
  Diagnostics said_before;
  GraphDef graph = ParseGraphDefMessage(*message, said_before);
  graph.owner = message;
  return graph;
}

GraphDef OfRunMetadata(const Trace& trace) {
  Diagnostics said_before;
  const Result<RunMetadata> run = ReadRunMetadata(trace.path, said_before);
  if (!run) return {};
  GraphDef whole;
  whole.owner = run->owner;
  for (const std::string_view partition : run->partition_graphs) {
    GraphDef part = ParseGraphDefMessage(partition, said_before);
    whole.nodes.insert(whole.nodes.end(), std::make_move_iterator(part.nodes.begin()),
                       std::make_move_iterator(part.nodes.end()));
  }
  return whole;
}

}  // namespace

GraphDef GraphDefOf(const std::vector<std::string>& paths, const Trace& trace) {
  if (const std::string file = GraphAmong(paths, trace.path); !file.empty()) return OfFile(file);
  if (trace.facts.format != Format::kRunMetadata) return {};
  return FileTypeAt(trace.path) == FileType::kTfEvents ? OfEventFile(trace) : OfRunMetadata(trace);
}

std::vector<GraphDef> GraphsBeside(const std::vector<std::string>& paths, const Profile& profile) {
  std::vector<GraphDef> graphs;
  for (const Trace& trace : profile.traces) {
    graphs.push_back(trace.facts.format == Format::kRunMetadata ? GraphDefOf(paths, trace)
                                                                : GraphDef{});
  }
  return graphs;
}

OpGraph GraphOf(const std::vector<std::string>& paths, const Trace& trace) {
  const GraphDef graph = GraphDefOf(paths, trace);
  return graph.nodes.empty() ? OpGraph{} : BuildOpGraph(graph, trace);
}

}  // namespace stepscope
