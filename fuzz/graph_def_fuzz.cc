// GraphDef, binary and text, and the shapes inferred from it.
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>

#include "read/graph_def/graph_def.h"
#include "tools/graph/flops.h"
#include "tools/graph/variables.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  using namespace stepscope;
  Diagnostics diagnostics;
  const FileBytes bytes({reinterpret_cast<const char*>(data), size}, nullptr, std::nullopt);
  const Result<GraphDef> graph = ParseGraphDef(bytes, "fuzz", diagnostics);
  if (!graph) return 0;
  const GraphIndex index(*graph);
  (void)CountFlops(index, InferShapes(index, {}));
  (void)FindVariables(index, {});
  return 0;
}
