// PyTorch's execution traces: any text gives nodes or one error.
#include <cstddef>
#include <cstdint>
#include <string_view>

#include "read/execution_trace/execution_trace.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  const stepscope::Result<stepscope::ExecutionTrace> trace =
      stepscope::ParseExecutionTrace(text, "fuzz");
  if (trace && trace->nodes.empty()) __builtin_trap();
  return 0;
}
