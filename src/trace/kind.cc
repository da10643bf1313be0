#include "trace/kind.h"

#include <utility>

namespace stepscope {

std::string_view NameOf(Kind kind) {
  switch (kind) {
    case Kind::kOther:
      return "other";
    case Kind::kStep:
      return "step";
    case Kind::kAnnotation:
      return "user_annotation";
    case Kind::kPythonFrame:
      return "python_frame";
    case Kind::kModuleFrame:
      return "module_frame";
    case Kind::kOp:
      return "framework_op";
    case Kind::kInput:
      return "input_stage";
    case Kind::kCall:
      return "runtime_call";
    case Kind::kSync:
      return "sync";
    case Kind::kKernel:
      return "kernel";
    case Kind::kCollective:
      return "collective";
    case Kind::kCopy:
      return "memcpy";
    case Kind::kMemset:
      return "memset";
    case Kind::kDeviceAnnotation:
      return "device_annotation";
    case Kind::kDeviceOp:
      return "device_op";
    case Kind::kCompile:
      return "compile";
    case Kind::kAllocation:
      return "allocation";
    case Kind::kOverhead:
      return "profiler_overhead";
  }
  std::unreachable();
}

}  // namespace stepscope
