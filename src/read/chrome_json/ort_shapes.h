#pragma once

#include <string>
#include <string_view>

namespace stepscope::chrome_json {

// ONNX Runtime writes an op's inputs as [{"float":[1,3]},{"int64":[]}]. These append its shapes
// ([[1,3],[]]) and its types (["float","int64"]) in the form the other dialects use.
void AppendOrtShapes(std::string_view json, std::string& out);
void AppendOrtTypes(std::string_view json, std::string& out);

}  // namespace stepscope::chrome_json
