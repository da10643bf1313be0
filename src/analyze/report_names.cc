#include <utility>

#include "analyze/report.h"

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

std::string_view NameOf(BoundBy bound) {
  switch (bound) {
    case BoundBy::kInput:
      return "input";
    case BoundBy::kLaunch:
      return "launch";
    case BoundBy::kSync:
      return "sync";
    case BoundBy::kHost:
      return "host";
    case BoundBy::kCompute:
      return "compute";
    case BoundBy::kCommunication:
      return "communication";
    case BoundBy::kCopy:
      return "copy";
    case BoundBy::kCompile:
      return "compile";
    case BoundBy::kMixed:
      return "mixed";
    case BoundBy::kUnknown:
      return "unknown";
  }
  std::unreachable();
}

}  // namespace stepscope
