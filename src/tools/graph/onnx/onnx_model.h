#pragma once

#include <string>

#include "base/diagnostics.h"
#include "base/result.h"
#include "io/byte_source.h"
#include "read/graph_def/graph_def.h"

namespace stepscope {

// An ONNX model as a graph of the same form as TensorFlow's, so that all questions about graphs
// have one answer: weights become nodes of op "Initializer", inputs "Placeholder", attributes keep
// their names, shapes the file states become "_output_shapes". Bodies of If and Loop are left out
// and counted. Values of weights are not copied, but for small integer ones, which shapes are made
// of.
Result<GraphDef> ReadOnnxModel(const std::string& path, Diagnostics& diagnostics);
Result<GraphDef> ParseOnnxModel(const FileBytes& bytes, const std::string& path,
                                Diagnostics& diagnostics);

}  // namespace stepscope
