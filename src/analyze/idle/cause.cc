#include "analyze/idle/cause.h"

#include <utility>

namespace stepscope {

std::string_view NameOf(Cause cause) {
  switch (cause) {
    case Cause::kInput:
      return "input";
    case Cause::kSync:
      return "sync";
    case Cause::kLaunch:
      return "launch";
    case Cause::kHostOp:
      return "host_op";
    case Cause::kPython:
      return "python";
    case Cause::kCompile:
      return "compile";
    case Cause::kCommunicationWait:
      return "communication_wait";
    case Cause::kCopyWait:
      return "copy_wait";
    case Cause::kProfiler:
      return "profiler";
    case Cause::kBetweenSteps:
      return "between_steps";
    case Cause::kUnknown:
      return "unknown";
  }
  std::unreachable();
}

}  // namespace stepscope
