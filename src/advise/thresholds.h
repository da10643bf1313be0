#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string_view>

namespace stepscope {

// The limits that stepscope.toml can change. The table in thresholds.cc gives each its name there,
// its value, its unit and its source.
enum class Limit : uint8_t {
  kSeverityHigh,
  kSeverityMedium,
  kWorthSaying,
  kOverheadShare,
  kStackEventShare,
  kWarmupFactor,
  kUnlinkedShare,
  kWholeSteps,
  kInputModerate,
  kInputHigh,
  kTrivialRatio,
  kSlowGetNext,
  kDiskShare,
  kManyFiles,
  kSmallFile,
  kCacheShareOfMemory,
  kFeedShare,
  kQueueShare,
  kPreprocessShare,
  kWorkersTooFew,
  kWorkersTooMany,
  kEpochStallFactor,
  kTinyMapCall,
  kTinyMapCalls,
  kMapSchedulingShare,
  kCpuSaturated,
  kContentionShare,
  kUtilizationNote,
  kUtilizationLow,
  kGapWorthNaming,
  kGapShare,
  kGapHigh,
  kPyFuncInStep,
  kLaunchModerate,
  kSyncIdleShare,
  kSyncPerLaunch,
  kLaunchQueueFull,
  kReadbackShare,
  kReadbackSteps,
  kReadbackBytes,
  kInputSizedCopy,
  kCopyShare,
  kSmallCopy,
  kManyCopies,
  kIslandShare,
  kEagerShare,
  kExecutablesPerStep,
  kGcLong,
  kSilentThread,
  kCheckpointShare,
  kOutlierZ,
  kTensorCoreUsed,
  kTensorCoreEligible,
  kTf32Share,
  kMisalignedShare,
  kTransposeShare,
  kChain,
  kChainShare,
  kCompileWorth,
  kAttentionShare,
  kOptimizerShare,
  kKernelsPerParameter,
  kTinyKernel,
  kLoopIterations,
  kLoopShare,
  kSmShare,
  kOccupancyLow,
  kMemoryBoundShare,
  kHotOp,
  kCastShare,
  kFrozenShare,
  kBatchMemory,
  kBatchUtilization,
  kRecompileShare,
  kCompileOfRun,
  kCompileTime,
  kIsaShare,
  kOversubscribed,
  kBusyCores,
  kMemoryNearlyFull,
  kAllocatorWindow,
  kAllocatorShare,
  kFragmented,
  kFragmentedRatio,
  kGrowthIn1000Steps,
  kCommunicationModerate,
  kCommunicationHigh,
  kBusBandwidth,
  kStragglerWait,
  kSmallMessages,
  kDecodeAttention,
  kXlaCopyShare,
  kRecomputed,
  kFp8Share,
  kSyncBatchNorms,
  kVariableTraffic,
  kVariableImbalance,
  kMovingAverageShare,
  kIdleDevice,
  kOrtCopyShare,
  kSkippedSteps,
  kClockDrop,
  kShuffleShare,
  kOutsideCompilation,
  kRepeatedOps,
  kClockHeldShare,
  kClockLost,
  kCpuWaitShare,
  kThrottledShare,
};
inline constexpr size_t kLimits = static_cast<size_t>(Limit::kThrottledShare) + 1;

struct LimitRow {
  Limit limit;
  std::string_view name;  // in stepscope.toml
  double value;
  std::string_view unit;    // "share of the step", "ns", "count" …
  std::string_view source;  // who published it, or "ours"
};
const std::array<LimitRow, kLimits>& LimitTable();

// The values in force: the table's, some of them replaced by the user.
class Limits {
 public:
  Limits();
  double operator[](Limit limit) const { return values_[static_cast<size_t>(limit)]; }
  // The value of a name in stepscope.toml.
  std::optional<double> Named(std::string_view name) const;
  // False when there is no such name.
  bool Set(std::string_view name, double value);

 private:
  std::array<double, kLimits> values_;
};

}  // namespace stepscope
