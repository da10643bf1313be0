#include "study/model_graph.h"

#include <iterator>
#include <memory>
#include <utility>

#include "read/open.h"
#include "read/run_metadata/run_metadata_proto.h"
#include "read/tfevents/run_log.h"

namespace stepscope {
namespace {

// Faults of these files were reported when the profile was read.
GraphDef OfFile(const std::string& path) {
  Diagnostics said_before;
  Result<GraphDef> graph = ReadGraphDef(path, said_before);
  return graph ? std::move(*graph) : GraphDef{};
}

GraphDef OfEventFile(const std::string& path) {
  const auto message = std::make_shared<std::string>();
  ReadRunOptions options;
  options.embedded = [&](const EmbeddedMessage& found) {
    if (found.kind == TagKind::kGraph && message->empty()) *message = found.bytes;
  };
  (void)ReadRun(path, {path}, options);
  Diagnostics said_before;
  GraphDef graph = ParseGraphDefMessage(*message, said_before);
  graph.owner = message;
  return graph;
}

GraphDef OfRunMetadata(const std::string& path) {
  Diagnostics said_before;
  const Result<RunMetadata> run = ReadRunMetadata(path, said_before);
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

GraphDef ReadModelGraph(Format format, std::span<const std::string> files,
                        std::span<const std::string> beside) {
  const std::string& path = files.front();
  const FileType type = format == Format::kRunMetadata ? FileTypeAt(path) : FileType::kUnknown;
  if (type == FileType::kRunMetadata) {
    const bool explained = files.size() > 1 && FileTypeAt(files.back()) == FileType::kGraphDef;
    return explained ? OfFile(files.back()) : OfRunMetadata(path);
  }
  if (!beside.empty()) return OfFile(beside.front());
  return type == FileType::kTfEvents ? OfEventFile(path) : GraphDef{};
}

}  // namespace stepscope
