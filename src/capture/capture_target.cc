#include "capture/capture_target.h"

#include <utility>

#include "capture/kineto/capture_kineto.h"
#include "capture/profiler_service/capture_service.h"

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
  }
  std::unreachable();
}

}  // namespace stepscope
