#pragma once

#include <cstdint>
#include <vector>

#include "base/ids.h"
#include "trace/trace.h"

namespace stepscope {

// A node of PyTorch's execution trace: what a call was given and what it made. Texts are in the
// profile's string table; lists are JSON without white space.
struct ExecutionNode {
  uint64_t id = 0;           // its number in that file
  uint32_t parent = kNoRow;  // row of the call around it
  uint32_t slice = kNoRow;   // the same call in the profile
  StringId name = kEmptyString;
  StringId schema = kEmptyString;
  StringId input_values = kEmptyString;
  StringId input_dims = kEmptyString;
  StringId input_types = kEmptyString;
  StringId output_values = kEmptyString;
  StringId output_dims = kEmptyString;
  StringId output_types = kEmptyString;
};

// A tensor that a node was given.
struct TensorUse {
  uint32_t node = kNoRow;    // row of nodes
  uint32_t writer = kNoRow;  // the innermost call that wrote it last; kNoRow: before the recording
  uint64_t tensor = 0;
  uint64_t storage = 0;
  int64_t bytes = 0;
  StringId device = kEmptyString;
};

// An execution trace that was joined to a profile; no nodes where none was given with it.
struct ExecutionRows {
  std::vector<ExecutionNode> nodes;  // as the file has them
  std::vector<TensorUse> tensors;    // by node
};

}  // namespace stepscope
