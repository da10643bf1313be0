#pragma once

#include <cstdint>
#include <string_view>

namespace stepscope {

// The one vocabulary that readers map their formats to and that analyses read. No analysis looks
// at a format's own category strings. What a *name* says (a collective, a tensor-core kernel, a
// sync call) is a trait of the name: names.h.
enum class Kind : uint8_t {
  kOther,       // a span nobody gave a meaning to
  kStep,        // a step marker on the host: ProfilerStep#, StepTraceAnnotation, session.run
  kAnnotation,  // named by the user: record_function, NVTX, TraceMe of user code
  kPythonFrame,
  kModuleFrame,  // a Python frame that is an nn.Module's forward
  kOp,           // framework op on the host
  kInput,        // input-pipeline stage recorded as such (tf.data iterator)
  kCall,         // runtime or driver call: launches, copies, synchronisation, allocation
  kSync,         // a wait recorded as its own span (cuda_sync)
  kKernel,       // on a device, all below as well
  kCollective,   // kernel of a communication library
  kCopy,
  kMemset,
  kDeviceAnnotation,  // the device's shadow of an annotation or step
  kDeviceOp,  // op-level span on a device (XLA Ops line of a TPU, module lines): not in addition to
              // kernels
  kCompile,
  kAllocation,
  kOverhead,  // the profiler's own work
};

std::string_view NameOf(Kind kind);

// Work that occupies a device: what busy and idle are made of.
constexpr bool IsDeviceWork(Kind kind) {
  return kind == Kind::kKernel || kind == Kind::kCollective || kind == Kind::kCopy ||
         kind == Kind::kMemset;
}

}  // namespace stepscope
