#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "trace/trace.h"

namespace stepscope {

// PyTorch's execution trace: what every op was given and what it made, without times. Schemas from
// 2023 (members of the node) to today (a list of attributes).
struct ExecutionTrace {
  struct Tensor {
    uint64_t id = 0;
    uint64_t storage = 0;
    int64_t bytes = 0;
    std::string device;
  };
  struct Values {
    std::string values;  // JSON without white space
    std::string dims;    // spelt as Kineto does: [[8,4],[]]
    std::string types;   // ["float","Scalar"]
    std::vector<Tensor> tensors;
  };
  struct Node {
    uint64_t id = 0;
    uint64_t parent = 0;
    uint64_t record_function = 0;  // 0: not a function
    std::string name;
    std::string schema;
    Values inputs;
    Values outputs;
  };

  int64_t pid = -1;
  std::vector<Node> nodes;  // as the file has them
  bool cut = false;         // the file ends in the middle
};

// An Error where the text holds no node.
Result<ExecutionTrace> ParseExecutionTrace(std::string_view text, const std::string& path);
Result<ExecutionTrace> ReadExecutionTrace(const std::string& path);

}  // namespace stepscope
