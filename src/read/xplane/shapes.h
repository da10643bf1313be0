#pragma once

#include <string>
#include <string_view>

namespace stepscope::xplane {

// TensorFlow's "(float[64,1024];int32[])" in the spelling that shapes have elsewhere in a trace.
struct TensorShapes {
  std::string dims;   // "[[64,1024],[]]"; empty when the text is no list of shapes
  std::string types;  // "[\"float\",\"int32\"]"
};
TensorShapes ParseTensorShapes(std::string_view text);

}  // namespace stepscope::xplane
