#include "read/xplane/host_names.h"

#include <algorithm>
#include <array>

namespace stepscope::xplane {
namespace {

struct Pattern {
  enum class Match : uint8_t { kExact, kPrefix, kContains };
  Match match;
  std::string_view text;
  HostName means;
};
using enum Pattern::Match;

constexpr HostName kRuntime{Kind::kOther, kNoStats, false};
constexpr HostName kRuntimeHandOver{Kind::kOther, kMarkStats | kFlowStats, false};
constexpr HostName kCompilation{Kind::kCompile, kNoStats, false};
constexpr HostName kWait{Kind::kSync, kNoStats, false};
constexpr HostName kInputStage{Kind::kInput, kNoStats, false};

// First match counts. Names seen in profiles of TensorFlow 2.2 to 2.21, JAX 0.4 to 0.11 and libtpu.
constexpr auto kPatterns = std::to_array<Pattern>({
    {kPrefix, "ThreadpoolListener::", kRuntime},
    {kExact, "ExecutorState::Process", kRuntime},
    {kExact, "MemoryAllocation", {Kind::kAllocation, kMemoryStats, false}},
    {kExact, "MemoryDeallocation", {Kind::kAllocation, kMemoryStats, false}},
    {kPrefix, "$", {Kind::kPythonFrame, kNoStats, false}},

    // Input pipeline.
    {kPrefix, "Iterator::", {Kind::kInput, kIteratorStats, false}},
    {kPrefix, "IteratorGetNext", kInputStage},
    {kPrefix, "MultiDeviceIteratorGetNext", kInputStage},
    {kExact, "PrefetchProduce", kInputStage},
    {kExact, "PrefetchConsume", kInputStage},
    {kExact, "MapAndBatchProduce", kInputStage},
    {kExact, "MapAndBatchConsume", kInputStage},
    {kExact, "ParallelMapProduce", kInputStage},
    {kExact, "ParallelMapConsume", kInputStage},
    {kExact, "ParallelInterleaveProduce", kInputStage},
    {kExact, "ParallelInterleaveConsume", kInputStage},
    {kExact, "ParallelInterleaveInitializeInput", kInputStage},
    {kExact, "ParallelBatchProduce", kInputStage},
    {kExact, "ParallelBatchConsume", kInputStage},
    {kExact, "ParseExampleProduce", kInputStage},
    {kExact, "ParseExampleConsume", kInputStage},
    {kPrefix, "InfeedEnqueue", kInputStage},

    // Tracing and compiling.
    {kPrefix, "backend_compile", kCompilation},
    {kPrefix, "trace_to_jaxpr", kCompilation},
    {kPrefix, "lower_sharding_computation", kCompilation},
    {kPrefix, "lower_jaxpr_to_", kCompilation},
    {kPrefix, "lower_parallel_callable", kCompilation},
    {kPrefix, "jaxpr_to_mlir_module", kCompilation},
    {kPrefix, "XlaCompile", kCompilation},
    {kPrefix, "XlaCompilationCache", kCompilation},
    {kPrefix, "DeviceCompiler::", kCompilation},
    {kPrefix, "DeviceCompilationCache", kCompilation},
    {kPrefix, "HloPassPipeline", kCompilation},
    {kPrefix, "XLA::TPU ", kCompilation},
    {kPrefix, "XlaCompileBackend", kCompilation},
    {kPrefix, "XlaEmitGpuAsm", kCompilation},
    {kPrefix, "XlaOptimizeLlvmIr", kCompilation},
    {kPrefix, "XlaCompileGpuAsm", kCompilation},
    {kPrefix, "XlaEmitLlvmIr", kCompilation},
    {kPrefix, "CompileGpuAsm", kCompilation},
    {kPrefix, "CompileSingleModule", kCompilation},
    {kPrefix, "CompileToBackendResult", kCompilation},
    {kPrefix, "CompileModuleToLlvmIr", kCompilation},
    {kPrefix, "CompileToTargetBinary", kCompilation},
    {kPrefix, "GpuCompiler::", kCompilation},
    {kPrefix, "CpuCompiler::", kCompilation},
    {kPrefix, "NVPTXCompiler::", kCompilation},
    {kPrefix, "AMDGPUCompiler::", kCompilation},
    {kPrefix, "AutotunerUtil", kCompilation},
    {kPrefix, "GemmAlgorithmPicker", kCompilation},
    {kPrefix, "GemmFusionAutotuner", kCompilation},
    {kPrefix, "GpuConvAlgorithmPicker", kCompilation},
    {kContains, "Compiler::Compile", kCompilation},
    {kContains, "Compiler::RunBackend", kCompilation},
    {kContains, "Compiler::RunHloPasses", kCompilation},
    {kContains, "Client::Compile", kCompilation},
    {kContains, "OptimizeHloModule", kCompilation},

    // Waiting for the device.
    {kPrefix, "BlockHostUntil", kWait},
    {kContains, "::BlockHostUntil", kWait},
    {kContains, "Buffer::Await", kWait},
    {kContains, "Buffer::BlockHostUntilReady", kWait},
    {kExact, "PjRtFuture::Await", kWait},
    {kExact, "TFE_TensorHandleResolve", kWait},
    {kExact, "np.asarray(jax.Array)", kWait},
    {kPrefix, "block_until_ready", kWait},
    {kExact, "GpuEventMgr::Poll", kRuntime},
    {kExact, "LocalDeviceState::WaitFor", kRuntime},

    // Calls of the frameworks' front ends.
    {kPrefix, "PjitFunction(", {Kind::kAnnotation, kNoStats, false}},  // a function of the user's
    {kPrefix, "XlaPjitFunction(", {Kind::kAnnotation, kNoStats, false}},
    {kPrefix, "EagerLocalExecute: IteratorGetNext", kInputStage},
    {kPrefix, "EagerLocalExecute: __", kRuntime},  // a function: its own event has its name
    {kPrefix, "EagerLocalExecute: ", {Kind::kOp, kNoStats, false}},
    {kPrefix, "EagerRemoteExecute: ", {Kind::kOp, kNoStats, false}},

    // The runtimes' own.
    {kPrefix, "Executor", kRuntime},
    {kExact, "FunctionRun", kRuntime},
    {kExact, "EagerExecute", kRuntime},
    {kExact, "EagerKernelExecute", kRuntime},
    {kExact, "EagerCopyToDevice", kRuntime},
    {kPrefix, "KernelAndDevice", kRuntime},
    {kPrefix, "TFE_", kRuntime},
    {kPrefix, "TF_", kRuntime},
    {kExact, "ValidateInputTypeAndPlacement", kRuntime},
    {kExact, "convert_to_tensor", kRuntime},
    {kExact, "tf.constant", kRuntime},
    {kExact, "ParseArguments", kRuntime},
    {kExact, "DevicePut", kRuntime},
    {kExact, "Handle inputs", kRuntime},
    {kExact, "Handle input event recording", kRuntime},
    {kExact, "AllocateOutputBuffersWithInputReuse", kRuntime},
    {kExact, "AllocateDestinationBuffer", kRuntime},
    {kExact, "Resolve constant globals", kRuntime},
    {kExact, "Build buffer allocations", kRuntime},
    {kPrefix, "Wait for ", kRuntime},
    {kPrefix, "ComputeSemaphoreAcquire", kRuntime},
    {kExact, "Acquire semaphore", kRuntime},
    {kExact, "Release semaphore", kRuntime},
    {kExact, "shard_args", kRuntime},
    {kExact, "H2D Dispatch", kRuntimeHandOver},
    {kExact, "D2H Dispatch", kRuntimeHandOver},
    {kPrefix, "ThenExecuteCallback", kRuntime},
    {kPrefix, "cuLaunchHostFunc", kRuntime},
    {kPrefix, "ExecuteReplicated", kRuntime},
    {kPrefix, "ArrayImpl.", kRuntime},
    {kExact, "EnqueueContinuationProgram", kRuntime},
    {kExact, "<UNKNOWN>", {Kind::kOverhead, kNoStats, false}},
    {kExact, "BUFFER_FLUSH", {Kind::kOverhead, kNoStats, false}},
    {kExact, "BUFFER_REQUEST", {Kind::kOverhead, kNoStats, false}},
    {kExact, "CUPTI_BUFFER", {Kind::kOverhead, kNoStats, false}},
    {kPrefix, "end: ", kRuntime},  // the hand-over mark behind each XLA op on a CPU
    {kPrefix, "[", kRuntimeHandOver},
    {kPrefix, "jit_", kRuntimeHandOver},
    {kPrefix, "command_buffer", kRuntimeHandOver},
    {kContains, "::", kRuntimeHandOver},
    {kContains, "=>", kRuntimeHandOver},
    {kContains, "PJRT_", kRuntimeHandOver},
    {kContains, ":XLA ", kRuntimeHandOver},
});

bool Matches(const Pattern& pattern, std::string_view name) {
  switch (pattern.match) {
    case kExact:
      return name == pattern.text;
    case kPrefix:
      return name.starts_with(pattern.text);
    case kContains:
      return name.find(pattern.text) != std::string_view::npos;
  }
  return false;
}

bool IsAlpha(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z'); }
bool IsWord(char c) { return IsAlpha(c) || (c >= '0' && c <= '9') || c == '_'; }

}  // namespace

bool IsTensorFlowOp(std::string_view name) {
  const size_t colon = name.rfind(':');
  if (colon == std::string_view::npos || colon == 0 || colon + 1 >= name.size()) return false;
  const std::string_view type = name.substr(colon + 1);
  const std::string_view node = name.substr(0, colon);
  const bool typed = (IsAlpha(type[0]) || type[0] == '_') && std::ranges::all_of(type, [](char c) {
                       return IsWord(c) || c == '>' || c == '.';
                     });
  const bool named =
      (IsWord(node[0]) || node[0] == '.') && std::ranges::all_of(node, [](char c) {
        return IsWord(c) || c == '/' || c == '.' || c == '-' || c == '>' || c == '\\' || c == '^';
      });
  return typed && named;
}

bool IsInputOpType(std::string_view type) {
  for (const std::string_view known :
       {"IteratorGetNext", "MultiDeviceIteratorGetNext", "QueueDequeue", "ReaderRead"}) {
    if (type.starts_with(known)) return true;
  }
  return false;
}

HostName ClassifyHostName(std::string_view name) {
  for (const Pattern& pattern : kPatterns) {
    if (pattern.match != kContains && Matches(pattern, name)) return pattern.means;
  }
  if (IsTensorFlowOp(name)) {
    const bool input = IsInputOpType(name.substr(name.rfind(':') + 1));
    return {input ? Kind::kInput : Kind::kOp, kShapeStats, false};
  }
  for (const Pattern& pattern : kPatterns) {
    if (pattern.match == kContains && Matches(pattern, name)) return pattern.means;
  }
  return {Kind::kOther, kMarkStats | kFlowStats, true};
}

}  // namespace stepscope::xplane
