#include "read/model_files.h"

#include <algorithm>
#include <array>
#include <filesystem>
#include <utility>

#include "io/byte_source.h"
#include "read/file_type.h"
#include "read/graph_def/graph_def.h"
#include "read/protobuf/wire.h"

namespace stepscope {
namespace {

namespace fs = std::filesystem;

bool IsWrappedGraph(const std::string& path) {
  constexpr uint64_t kMost = uint64_t{1} << 31;
  const Result<FileBytes> bytes = ReadWhole(path, kMost);
  if (!bytes) return false;
  Diagnostics ignored;
  const Result<GraphDef> graph = ParseGraphDef(*bytes, path, ignored);
  return graph && !graph->nodes.empty();
}

}  // namespace

ModelFile ModelFileOf(const std::string& path) {
  const std::string head = HeadOf(path, kSniffedBytes).value_or("");
  if (head.empty()) return ModelFile::kOther;
  const FileType type = FileTypeOf(head);
  constexpr auto kKinds = std::to_array<std::pair<FileType, ModelFile>>({
      {FileType::kRunMetadata, ModelFile::kRunMetadata},
      {FileType::kGraphDef, ModelFile::kGraph},
      {FileType::kOpLog, ModelFile::kOpLog},
      {FileType::kCheckpointIndex, ModelFile::kCheckpoint},
      {FileType::kTfprofProfile, ModelFile::kProfile},
      {FileType::kOnnxModel, ModelFile::kOnnx},
  });
  for (const auto& [known, kind] : kKinds) {
    if (type == known) return kind;
  }
  if (type != FileType::kUnknown) return ModelFile::kOther;
  if (head.find("node") != std::string::npos || head.find("graph_def") != std::string::npos ||
      head[0] == '\x08' || head[0] == '\x0a') {
    return IsWrappedGraph(path) ? ModelFile::kGraph : ModelFile::kOther;
  }
  return ModelFile::kOther;
}

Result<ModelFiles> FindModelFiles(const std::vector<std::string>& paths) {
  std::vector<std::string> files;
  for (const std::string& path : paths) {
    std::error_code error;
    if (!fs::is_directory(path, error)) {
      files.push_back(path);
      continue;
    }
    std::vector<std::string> inside;
    for (const fs::directory_entry& entry : fs::directory_iterator(path, error)) {
      const std::string name = entry.path().filename().string();
      if (!name.starts_with('.') && entry.is_regular_file(error)) {
        inside.push_back(entry.path().string());
      }
    }
    std::sort(inside.begin(), inside.end());
    files.insert(files.end(), inside.begin(), inside.end());
  }
  ModelFiles found;
  const auto take = [](std::string& into, const std::string& path) {
    if (into.empty()) into = path;
  };
  for (const std::string& path : files) {
    if (Result<std::string> head = HeadOf(path, 1); !head) {
      return std::unexpected(std::move(head.error()));
    }
    switch (ModelFileOf(path)) {
      case ModelFile::kGraph:
        // A checkpoint's .meta beside the graph itself holds the same graph and more.
        if (found.graph.empty() || found.graph.ends_with(".meta")) found.graph = path;
        break;
      case ModelFile::kRunMetadata:
        found.run_metas.push_back(path);
        break;
      case ModelFile::kOpLog:
        take(found.op_log, path);
        break;
      case ModelFile::kCheckpoint:
        take(found.checkpoint, path);
        break;
      case ModelFile::kProfile:
        take(found.profile, path);
        break;
      case ModelFile::kOnnx:
        take(found.onnx, path);
        break;
      case ModelFile::kOther:
        found.others.push_back(path);
        break;
    }
  }
  return found;
}

}  // namespace stepscope
