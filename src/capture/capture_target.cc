#include "capture/capture_target.h"

#include <utility>

#include "capture/kineto/capture_kineto.h"
#include "capture/profiler_service/capture_service.h"
#include "capture/python/capture_python.h"

namespace stepscope {

Result<Captured> CaptureFrom(const CaptureTarget& target, const CaptureChoices& choices,
                             const CaptureRequest& request) {
  switch (target.kind) {
    case TargetKind::kProfilerService:
      return CaptureFromService(target.hosts, choices.levels, request);
    case TargetKind::kPyTorch:
      return CaptureFromPyTorch(target, choices.kineto, request);
    case TargetKind::kVllm:
    case TargetKind::kSglang:
      return CaptureFromServing(target, choices.serving, request);
    case TargetKind::kPython:
      return CaptureFromPython(target.pid, choices.kineto, request);
  }
  std::unreachable();
}

}  // namespace stepscope
