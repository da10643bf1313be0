#include "advise/thresholds.h"

namespace stepscope {

// [XP] XProf, [TB] the TensorBoard plugin for PyTorch, [TFADV] tfprof's checkers, [AS] Ascend's
// advisor, [SM] SageMaker Debugger, [TT] PyTorch's pattern matcher, [NSYS] Nsight Systems, [TFDA]
// TensorFlow's data performance guide, [guide] the TensorFlow performance guide of 2017. "ours":
// calibrated on the profiles of examples/ and tests/.
const std::array<LimitRow, kLimits>& LimitTable() {
  static constexpr std::array<LimitRow, kLimits> kTable{{
      {Limit::kSeverityHigh, "severity-high", 0.05, "share", "[AS]"},
      {Limit::kSeverityMedium, "severity-medium", 0.03, "share", "[AS]"},
      {Limit::kWorthSaying, "worth-saying", 0.01, "share",
       "ours, and the standard error of the step times"},
      {Limit::kOverheadShare, "overhead-share", 0.10, "share",
       "ours: profiler's own work in the step"},
      {Limit::kStackEventShare, "stack-event-share", 0.50, "share",
       "ours: Python frames of all events"},
      {Limit::kWarmupFactor, "warmup-factor", 2.0, "ratio",
       "ours: leading step against the median after it"},
      {Limit::kUnlinkedShare, "unlinked-share", 0.20, "share", "ours"},
      {Limit::kWholeSteps, "whole-steps", 3, "count", "ours"},
      {Limit::kInputModerate, "input-moderate", 0.05, "share", "[XP]"},
      {Limit::kInputHigh, "input-high", 0.20, "share", "[XP]"},
      {Limit::kTrivialRatio, "trivial-ratio", 1.10, "ratio",
       "ours: examples/s of the trivial model over the full one"},
      {Limit::kSlowGetNext, "slow-get-next", 50'000, "ns", "[XP], [TFDA]"},
      {Limit::kDiskShare, "disk-share", 0.8, "share",
       "ours: needed over measured bytes per second"},
      {Limit::kManyFiles, "many-files", 10'000, "count", "ours"},
      {Limit::kSmallFile, "small-file", 1'000'000, "bytes", "ours"},
      {Limit::kCacheShareOfMemory, "cache-share-of-memory", 0.5, "share", "ours"},
      {Limit::kFeedShare, "feed-share", 0.03, "share", "ours"},
      {Limit::kQueueShare, "queue-share", 0.05, "share", "[XP] moderate"},
      {Limit::kPreprocessShare, "preprocess-share", 0.05, "share", "ours"},
      {Limit::kWorkersTooFew, "workers-too-few", 0.7, "ratio", "[SM]: of the cores"},
      {Limit::kWorkersTooMany, "workers-too-many", 2.0, "ratio", "[SM]"},
      {Limit::kEpochStallFactor, "epoch-stall-factor", 3.0, "ratio", "ours"},
      {Limit::kTinyMapCall, "tiny-map-call", 50'000, "ns", "ours"},
      {Limit::kTinyMapCalls, "tiny-map-calls", 32, "count", "ours, per batch"},
      {Limit::kMapSchedulingShare, "map-scheduling-share", 0.5, "share", "ours"},
      {Limit::kCpuSaturated, "cpu-saturated", 0.90, "share", "[SM]"},
      {Limit::kContentionShare, "contention-share", 0.03, "share",
       "[XP] kernel launch with tf.data in use"},
      {Limit::kUtilizationNote, "utilization-note", 0.80, "share", "[guide]"},
      {Limit::kUtilizationLow, "utilization-low", 0.50, "share", "[TFADV], [TB], [NSYS]"},
      {Limit::kGapWorthNaming, "gap-worth-naming", 20'000, "ns", "ours"},
      {Limit::kGapShare, "gap-share", 0.03, "share", "[XP] 'all others', moderate"},
      {Limit::kGapHigh, "gap-high", 0.15, "share", "[XP]"},
      {Limit::kPyFuncInStep, "py-func-in-step", 0.01, "share", "ours"},
      {Limit::kLaunchModerate, "launch-moderate", 0.03, "share", "[XP]"},
      {Limit::kSyncIdleShare, "sync-idle-share", 0.01, "share", "ours"},
      {Limit::kSyncPerLaunch, "sync-per-launch", 0.5, "ratio", "[AS]"},
      {Limit::kLaunchQueueFull, "launch-queue-full", 0.05, "share", "ours"},
      {Limit::kReadbackShare, "readback-share", 0.005, "share", "ours"},
      {Limit::kReadbackSteps, "readback-steps", 0.90, "share", "ours: of the steps hold one"},
      {Limit::kReadbackBytes, "readback-bytes", 1024, "bytes", "ours"},
      {Limit::kInputSizedCopy, "input-sized-copy", 1'000'000, "bytes", "ours"},
      {Limit::kCopyShare, "copy-share", 0.03, "share", "ours"},
      {Limit::kSmallCopy, "small-copy", 65536, "bytes", "ours"},
      {Limit::kManyCopies, "many-copies", 50, "count", "ours, per step"},
      {Limit::kIslandShare, "island-share", 0.005, "share", "ours"},
      {Limit::kEagerShare, "eager-share", 0.10, "share", "[XP]"},
      {Limit::kExecutablesPerStep, "executables-per-step", 5, "count", "ours"},
      {Limit::kGcLong, "gc-long", 1'000'000, "ns", "[AS]"},
      {Limit::kSilentThread, "silent-thread", 200'000'000, "ns", "[AS]"},
      {Limit::kCheckpointShare, "checkpoint-share", 0.01, "share", "ours"},
      {Limit::kOutlierZ, "outlier-z", 3.5, "ratio", "[XP], modified z"},
      {Limit::kTensorCoreUsed, "tensor-core-used", 0.50, "share", "ours: of the eligible time"},
      {Limit::kTensorCoreEligible, "tensor-core-eligible", 0.20, "share", "ours"},
      {Limit::kTf32Share, "tf32-share", 0.10, "share", "ours"},
      {Limit::kMisalignedShare, "misaligned-share", 0.03, "share", "ours"},
      {Limit::kTransposeShare, "transpose-share", 0.03, "share", "ours"},
      {Limit::kChain, "chain", 3, "count", "ours: pointwise kernels in a row"},
      {Limit::kChainShare, "chain-share", 0.05, "share", "ours"},
      {Limit::kCompileWorth, "compile-worth", 0.15, "share",
       "ours: what compiling the model has to gain to be more than a hint"},
      {Limit::kAttentionShare, "attention-share", 0.10, "share", "ours"},
      {Limit::kOptimizerShare, "optimizer-share", 0.03, "share", "ours"},
      {Limit::kKernelsPerParameter, "kernels-per-parameter", 3.0, "ratio", "[TT]"},
      {Limit::kTinyKernel, "tiny-kernel", 20'000, "ns", "[TT]"},
      {Limit::kLoopIterations, "loop-iterations", 16, "count", "ours"},
      {Limit::kLoopShare, "loop-share", 0.05, "share", "ours"},
      {Limit::kSmShare, "sm-share", 0.05, "share", "ours: a kernel worth looking at"},
      {Limit::kOccupancyLow, "occupancy-low", 20.0, "percent", "ours, percent"},
      {Limit::kMemoryBoundShare, "memory-bound-share", 0.30, "share",
       "ours: of the step in kernels below the ridge"},
      {Limit::kHotOp, "hot-op", 0.20, "share", "ours"},
      {Limit::kCastShare, "cast-share", 0.03, "share", "ours"},
      {Limit::kFrozenShare, "frozen-share", 0.03, "share", "ours"},
      {Limit::kBatchMemory, "batch-memory", 0.70, "share", "[SM]"},
      {Limit::kBatchUtilization, "batch-utilization", 0.70, "share", "[SM]"},
      {Limit::kRecompileShare, "recompile-share", 0.01, "share", "ours, of the window"},
      {Limit::kCompileOfRun, "compile-of-run", 0.20, "share", "ours"},
      {Limit::kCompileTime, "compile-time", 60e9, "ns", "ours: in the whole log"},
      {Limit::kIsaShare, "isa-share", 0.20, "share", "ours"},
      {Limit::kOversubscribed, "oversubscribed", 2.0, "ratio", "ours, [SM] for loaders"},
      {Limit::kBusyCores, "busy-cores", 0.50, "share", "ours"},
      {Limit::kMemoryNearlyFull, "memory-nearly-full", 0.90, "share", "[TB]"},
      {Limit::kAllocatorWindow, "allocator-window", 10'000'000, "ns", "[AS]"},
      {Limit::kAllocatorShare, "allocator-share", 0.01, "share", "ours"},
      {Limit::kFragmented, "fragmented", 0.20, "share",
       "ours: reserved but not allocated, of capacity"},
      {Limit::kFragmentedRatio, "fragmented-ratio", 0.30, "share", "ours: of what is reserved"},
      {Limit::kGrowthIn1000Steps, "growth-in-1000-steps", 0.05, "share", "ours, of capacity"},
      {Limit::kCommunicationModerate, "communication-moderate", 0.03, "share", "[XP]"},
      {Limit::kCommunicationHigh, "communication-high", 0.15, "share", "[XP]"},
      {Limit::kBusBandwidth, "bus-bandwidth", 0.50, "share", "ours: of the measured reference"},
      {Limit::kStragglerWait, "straggler-wait", 0.03, "share", "ours"},
      {Limit::kSmallMessages, "small-messages", 20, "count", "ours, per step"},
      {Limit::kDecodeAttention, "decode-attention", 24, "count", "ours, per step"},
      {Limit::kXlaCopyShare, "xla-copy-share", 0.05, "share", "ours"},
      {Limit::kRecomputed, "recomputed-share", 0.05, "share", "ours"},
      {Limit::kFp8Share, "fp8-share", 0.50, "share", "ours: of the step in 16-bit products"},
      {Limit::kSyncBatchNorms, "sync-batch-norms", 20, "count", "[AS]"},
      {Limit::kVariableTraffic, "variable-traffic", 0.03, "share", "ours"},
      {Limit::kVariableImbalance, "variable-imbalance", 0.20, "share", "ours"},
      {Limit::kMovingAverageShare, "moving-average-share", 0.02, "share", "ours"},
      {Limit::kIdleDevice, "idle-device", 0.01, "share", "ours"},
      {Limit::kOrtCopyShare, "ort-copy-share", 0.05, "share", "ours"},
      {Limit::kSkippedSteps, "skipped-steps", 0.01, "share", "ours"},
      {Limit::kClockDrop, "clock-drop", 0.05, "share", "[AS]"},
      {Limit::kShuffleShare, "shuffle-share", 0.30, "share", "[XP] data shuffle bound"},
      {Limit::kOutsideCompilation, "outside-compilation", 0.05, "share", "[XP]"},
      {Limit::kRepeatedOps, "repeated-ops", 10, "count", "[TT]"},
      {Limit::kClockHeldShare, "clock-held-share", 0.20, "share", "ours"},
      {Limit::kClockLost, "clock-lost", 0.10, "share", "ours"},
      {Limit::kCpuWaitShare, "cpu-wait-share", 0.25, "share", "ours"},
      {Limit::kThrottledShare, "throttled-share", 0.05, "share", "ours"},
  }};
  return kTable;
}

Limits::Limits() {
  for (const LimitRow& row : LimitTable()) values_[static_cast<size_t>(row.limit)] = row.value;
}

std::optional<double> Limits::Named(std::string_view name) const {
  for (const LimitRow& row : LimitTable()) {
    if (row.name == name) return (*this)[row.limit];
  }
  return std::nullopt;
}

bool Limits::Set(std::string_view name, double value) {
  for (const LimitRow& row : LimitTable()) {
    if (row.name != name) continue;
    values_[static_cast<size_t>(row.limit)] = value;
    return true;
  }
  return false;
}

}  // namespace stepscope
