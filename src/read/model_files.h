#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"

namespace stepscope {

enum class ModelFile : uint8_t {
  kGraph,  // GraphDef, MetaGraphDef, SavedModel
  kRunMetadata,
  kOpLog,
  kCheckpoint,  // index file
  kProfile,     // tfprof's ProfileProto
  kOnnx,
  kOther
};
// Recognised by the content (after decompression), never by the name.
ModelFile ModelFileOf(const std::string& path);

// The files of a TensorFlow model and its runs, found by content.
struct ModelFiles {
  std::string graph;
  std::vector<std::string> run_metas;  // by name: step 0 first
  std::string op_log;
  std::string checkpoint;
  std::string profile;
  std::string onnx;
  std::vector<std::string> others;  // what the paths hold besides, by name

  bool empty() const {
    return graph.empty() && run_metas.empty() && op_log.empty() && profile.empty() && onnx.empty();
  }
};
// Looks at each path; directories one level deep. The first graph, op log, checkpoint and profile
// win; a plain graph wins over one inside a MetaGraphDef.
Result<ModelFiles> FindModelFiles(const std::vector<std::string>& paths);

}  // namespace stepscope
