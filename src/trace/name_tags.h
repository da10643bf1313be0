#pragma once

#include <bitset>
#include <cstdint>
#include <string_view>

namespace stepscope {

// What advice looks for in the names of ops, host spans and kernels beyond NameTraits. Computed
// only for names that a rule asks about; the table in name_tags.cc is the only place where these
// patterns are spelt.
enum class NameTag : uint8_t {
  // input pipelines
  kLoaderSingle,
  kLoaderMulti,
  kLoaderStart,
  kGetNext,
  kIterator,
  kIteratorPrefetch,
  kIteratorMap,
  kIteratorParallelMap,
  kIteratorSource,
  kIteratorInterleave,
  kIteratorParallelInterleave,
  kIteratorCache,
  kIteratorGenerator,
  kIteratorShuffle,
  kCapturedFunction,
  kQueueDequeue,
  kFeed,
  kDecodeImage,
  kDecodeAndCrop,
  kCrop,
  kImageOp,
  // host
  kReadback,
  kPyFunc,
  kCallback,
  kEagerExecute,
  kFunctionCall,
  kJitExecutable,
  kGarbageCollection,
  kCheckpoint,
  kCheckNumerics,
  kAnomalyCheck,
  kPrintOrAssert,
  kStackCapture,
  kCast,
  kSameTypeCopy,
  kReshape,
  kConcat,
  kAttentionOp,
  kAllGather,
  kShardedData,
  kXlaCopy,
  kFp8,
  kNormByChannel,  // batch normalisation with one block for each channel
  kHostFill,
  kHostStaging,
  kSelect,
  kZeroGrad,
  kZeroFill,
  kDetach,
  kAccumulateGrad,
  kAddInPlace,
  kBiasAdd,
  kBackward,
  kOptimizerSingleTensor,
  kOptimizerMultiTensor,
  kFoundInf,
  kCompiledRegion,
  kAutotune,
  kModuleLoad,
  kLaunchQueueFull,
  kRetrace,
  kXlaCompile,
  // math
  kMatmul,
  kBatchedMatmul,
  kConvolution,
  kWeightGradient,
  kRnnCell,
  kRnnFused,
  kBatchNormFused,
  kBatchNormPart,
  kVariance,
  kBatchNormScope,
  kSoftmax,
  kAttentionFused,
  kLoop,
  kTranspose,
  kToChannelsLast,
  kShuffleData,
  kEmbeddingBackward,
  kFp32Gemm,
  kTf32Gemm,
  kGeneratedKernel,
  kNarrowAlignment,
  kWideAlignment,
  kPointwise,
  // several devices
  kDataParallel,
  kSyncBatchNorm,
  kGloo,
  kNccl,
  kAllReduce,
  kPartOfEachRank,
  kDistributedData,
  kMovingAverage,
  kSend,
  kReceive,
  kVariable,
  kOrtMemcpy,
  kOutsideCompilation,
  kHostToDevice,
  kDeviceToHost,
  kPageable,
  kCount
};
using NameTags = std::bitset<static_cast<size_t>(NameTag::kCount)>;

inline bool Has(const NameTags& tags, NameTag tag) { return tags.test(static_cast<size_t>(tag)); }

// TensorFlow's "scope/name:Type" is matched as a whole and by its type.
NameTags TagsOf(std::string_view name);

}  // namespace stepscope
