#pragma once

#include <cstdint>
#include <optional>

#include "tools/graph/shape_context.h"

namespace stepscope::shapes {

struct SliceRange {
  int64_t begin = 0;
  int64_t end = 0;
  int64_t stride = 1;
  bool shrink = false;  // one element, whose dimension goes
};

// x[begin:end:stride] of a vector; nothing when the bounds are not constant.
std::optional<SliceRange> VectorSlice(const Context& context, uint32_t node, size_t size);
// The shape of a StridedSlice of any tensor.
TensorShape StridedSliceShape(const Context& context, uint32_t node);

}  // namespace stepscope::shapes
