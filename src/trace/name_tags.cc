#include "trace/name_tags.h"

#include <array>
#include <vector>

namespace stepscope {
namespace {

enum class Match : uint8_t { kExact, kPrefix, kSuffix, kPart };

struct Pattern {
  NameTag tag;
  Match match;
  std::string_view text;
};

using enum NameTag;
using enum Match;

constexpr auto kPatterns = std::to_array<Pattern>({
    {kLoaderSingle, kPart, "_SingleProcessDataLoaderIter"},
    {kLoaderMulti, kPart, "_MultiProcessingDataLoaderIter"},
    {kLoaderStart, kPart, "DataLoader.__iter__"},
    {kLoaderStart, kPart, "_get_iterator"},
    {kLoaderStart, kPrefix, "MakeIterator"},
    {kGetNext, kPrefix, "IteratorGetNext"},
    {kGetNext, kPart, "tf_data_iterator_get_next"},
    {kGetNext, kPrefix, "OptionalGetValue"},
    {kGetNext, kPart, "IteratorResource::GetNext"},
    {kIterator, kPrefix, "Iterator::"},
    {kIteratorPrefetch, kPart, "::Prefetch"},
    {kIteratorParallelMap, kPart, "::ParallelMap"},
    {kIteratorParallelMap, kPart, "::MapAndBatch"},
    {kIteratorMap, kPart, "::Map"},
    {kIteratorSource, kPart, "::TFRecord"},
    {kIteratorSource, kPart, "::TextLine"},
    {kIteratorSource, kPart, "::FixedLengthRecord"},
    {kIteratorInterleave, kPart, "::FlatMap"},
    {kIteratorInterleave, kPart, "::Interleave"},
    {kIteratorParallelInterleave, kPart, "::ParallelInterleave"},
    {kIteratorCache, kPart, "::MemoryCache"},
    {kIteratorCache, kPart, "::FileCache"},
    {kIteratorGenerator, kPart, "::Generator"},
    {kIteratorShuffle, kPart, "::Shuffle"},
    {kCapturedFunction, kPart, "InstantiatedCapturedFunction::Run"},
    {kQueueDequeue, kPrefix, "QueueDequeue"},
    {kFeed, kPrefix, "_Feed"},
    {kFeed, kPart, "numpy_to_tensor"},
    {kFeed, kPart, "ConvertToEagerTensor"},
    {kFeed, kPart, "BufferFromHostBuffer"},
    {kDecodeImage, kPrefix, "DecodeJpeg"},
    {kDecodeImage, kPrefix, "DecodeImage"},
    {kDecodeAndCrop, kPrefix, "DecodeAndCropJpeg"},
    {kCrop, kPrefix, "CropAndResize"},
    {kCrop, kPrefix, "Slice"},
    {kCrop, kPrefix, "StridedSlice"},
    {kImageOp, kPrefix, "Resize"},
    {kImageOp, kPrefix, "AdjustContrast"},
    {kImageOp, kPrefix, "AdjustHue"},
    {kImageOp, kPrefix, "AdjustSaturation"},
    {kImageOp, kPart, "upsample_bilinear2d"},
    {kImageOp, kPart, "grid_sampler"},

    {kReadback, kExact, "aten::item"},
    {kReadback, kExact, "aten::_local_scalar_dense"},
    {kReadback, kExact, "aten::is_nonzero"},
    {kPyFunc, kPrefix, "PyFunc"},
    {kPyFunc, kPrefix, "EagerPyFunc"},
    {kCallback, kPart, "python_cpu_callback"},
    {kCallback, kPart, "python_gpu_callback"},
    {kCallback, kPart, "pure_callback"},
    {kCallback, kPart, "io_callback"},
    {kEagerExecute, kPart, "EagerExecute"},
    {kEagerExecute, kPart, "EagerKernelExecute"},
    {kEagerExecute, kPart, "EagerLocalExecute"},
    {kFunctionCall, kPart, "FunctionRun"},
    {kFunctionCall, kPrefix, "PartitionedCall"},
    {kFunctionCall, kPrefix, "StatefulPartitionedCall"},
    {kJitExecutable, kPrefix, "PjitFunction("},
    {kGarbageCollection, kPart, "Python GC"},
    {kGarbageCollection, kPart, "gc.collect"},
    {kGarbageCollection, kPart, "Garbage Collection"},
    {kCheckpoint, kPrefix, "SaveV2"},
    {kCheckpoint, kPrefix, "MergeV2Checkpoints"},
    {kCheckpoint, kPart, "torch/serialization.py"},
    {kCheckpoint, kPart, "torch.save"},
    {kCheckNumerics, kPart, "CheckNumerics"},
    {kAnomalyCheck, kExact, "aten::isnan"},
    {kAnomalyCheck, kExact, "aten::isfinite"},
    {kPrintOrAssert, kPrefix, "PrintV2"},
    {kPrintOrAssert, kExact, "Print"},
    {kPrintOrAssert, kPrefix, "Assert"},
    {kPrintOrAssert, kPart, "debug_print"},
    {kPrintOrAssert, kPart, "debug_callback"},
    {kCast, kExact, "aten::_to_copy"},
    {kCast, kExact, "aten::to"},
    {kCast, kExact, "Cast"},
    {kCast, kPrefix, "convert"},
    {kSameTypeCopy, kExact, "aten::contiguous"},
    {kSameTypeCopy, kExact, "aten::clone"},
    {kHostFill, kSuffix, "::fill_"},
    {kHostFill, kSuffix, "::zero_"},
    {kHostFill, kSuffix, "::normal_"},
    {kHostFill, kSuffix, "::uniform_"},
    {kSelect, kExact, "aten::select"},
    {kZeroGrad, kPart, "zero_grad"},
    {kZeroFill, kExact, "aten::zero_"},
    {kZeroFill, kPart, "_foreach_zero_"},
    {kDetach, kExact, "aten::detach"},
    {kAccumulateGrad, kPart, "AccumulateGrad"},
    {kAddInPlace, kExact, "aten::add_"},
    {kBiasAdd, kExact, "aten::add_"},
    {kBiasAdd, kExact, "aten::bias_add"},
    {kBackward, kPart, "Backward"},
    {kOptimizerSingleTensor, kPart, "_single_tensor_"},
    {kOptimizerMultiTensor, kPart, "multi_tensor"},
    {kOptimizerMultiTensor, kPart, "_foreach_"},
    {kOptimizerMultiTensor, kPart, "_fused_"},
    {kOptimizerMultiTensor, kPart, "FusedAdam"},
    {kFoundInf, kPart, "_amp_foreach_non_finite_check_and_unscale_"},
    {kCompiledRegion, kPart, "Torch-Compiled Region"},
    {kCompiledRegion, kPrefix, "CompiledFunction"},
    {kAutotune, kPart, "cudnnFind"},
    {kAutotune, kPart, "autotune"},
    {kAutotune, kPart, "Autotune"},
    {kModuleLoad, kPart, "ModuleLoad"},
    {kModuleLoad, kPart, "LibraryLoad"},
    {kRetrace, kPart, "TraceFunction"},
    {kRetrace, kPart, "FuncGraph"},
    {kRetrace, kPart, "trace_function"},
    {kXlaCompile, kPart, "XlaCompile"},
    {kXlaCompile, kPart, "backend_compile"},
    {kXlaCompile, kPart, "jit_compile"},

    {kMatmul, kPrefix, "MatMul"},
    {kMatmul, kExact, "aten::mm"},
    {kMatmul, kExact, "aten::addmm"},
    {kMatmul, kExact, "aten::linear"},
    {kMatmul, kExact, "aten::matmul"},
    {kMatmul, kPrefix, "dot"},
    {kMatmul, kExact, "Gemm"},
    {kBatchedMatmul, kExact, "aten::bmm"},
    {kBatchedMatmul, kExact, "aten::baddbmm"},
    {kBatchedMatmul, kPrefix, "BatchMatMul"},
    {kConvolution, kPart, "aten::convolution"},
    {kConvolution, kPart, "aten::conv"},
    {kConvolution, kPart, "cudnn_convolution"},
    {kConvolution, kPart, "miopen_convolution"},
    {kConvolution, kPrefix, "Conv2D"},
    {kConvolution, kExact, "Conv"},
    {kWeightGradient, kPart, "BackpropFilter"},
    {kWeightGradient, kPart, "convolution_backward"},
    {kRnnCell, kPart, "lstm_cell"},
    {kRnnCell, kPart, "gru_cell"},
    {kRnnCell, kPart, "LSTMCell"},
    {kRnnCell, kPart, "GRUCell"},
    {kRnnFused, kPart, "_cudnn_rnn"},
    {kRnnFused, kPrefix, "CudnnRNN"},
    {kRnnFused, kPart, "mkldnn_rnn_layer"},
    {kBatchNormFused, kPrefix, "FusedBatchNorm"},
    {kBatchNormFused, kPart, "cudnn_batch_norm"},
    {kBatchNormFused, kPart, "native_batch_norm"},
    {kBatchNormFused, kPart, "miopen_batch_norm"},
    {kBatchNormPart, kPrefix, "SquaredDifference"},
    {kBatchNormPart, kPrefix, "Rsqrt"},
    {kBatchNormPart, kExact, "aten::rsqrt"},
    {kBatchNormPart, kExact, "aten::var"},
    {kVariance, kPrefix, "SquaredDifference"},
    {kVariance, kPrefix, "aten::var"},
    {kBatchNormScope, kPart, "BatchNorm/"},
    {kBatchNormScope, kPart, "batch_normalization/"},
    {kBatchNormScope, kPart, "batchnorm/"},
    {kBatchNormScope, kPart, "moments/"},
    {kSoftmax, kPart, "softmax"},
    {kSoftmax, kPrefix, "Softmax"},
    {kAttentionFused, kPart, "flash"},
    {kAttentionFused, kPart, "fmha"},
    {kAttentionFused, kPart, "efficient_attention"},
    {kAttentionFused, kPart, "sdpa"},
    {kAttentionFused, kPart, "FusedAttention"},
    {kLoop, kPrefix, "While"},
    {kLoop, kPrefix, "StatelessWhile"},
    {kLoop, kPrefix, "while"},
    {kLoop, kPart, "/while/body/"},
    {kLoop, kPart, "/while/cond/"},
    {kLoop, kPrefix, "TensorArray"},
    {kLoop, kPrefix, "TensorList"},
    {kLoop, kPrefix, "NextIteration"},
    {kTranspose, kPart, "nchwToNhwc"},
    {kToChannelsLast, kPart, "nchwToNhwc"},
    {kTranspose, kPart, "nhwcToNchw"},
    {kTranspose, kPart, "ranspose"},
    {kTranspose, kPart, "SwapDimension"},
    {kTranspose, kPart, "tensorTransform"},
    {kShuffleData, kPart, "gather"},
    {kShuffleData, kPart, "scatter"},
    {kShuffleData, kPart, "index"},
    {kShuffleData, kPart, "Index"},
    {kShuffleData, kPart, "sort"},
    {kShuffleData, kPart, "CatArray"},
    {kEmbeddingBackward, kPart, "embedding_dense_backward"},
    {kFp32Gemm, kPart, "sgemm"},
    {kFp32Gemm, kPart, "simt"},
    {kFp32Gemm, kPart, "_ffma_"},
    {kFp32Gemm, kPart, "f32f32_f32f32"},
    {kTf32Gemm, kPart, "tf32"},
    {kTf32Gemm, kPart, "s1688"},
    {kGeneratedKernel, kPrefix, "gemm_fusion"},
    {kGeneratedKernel, kPrefix, "triton_"},
    {kNarrowAlignment, kPart, "_align1"},
    {kNarrowAlignment, kPart, "_align2"},
    {kWideAlignment, kPart, "_align16"},
    {kPointwise, kPart, "elementwise_kernel"},

    {kDataParallel, kPart, "DataParallel.forward"},
    {kDataParallel, kExact, "Scatter"},
    {kDataParallel, kExact, "Gather"},
    {kDataParallel, kExact, "Broadcast"},
    {kSyncBatchNorm, kPart, "SyncBatchNorm"},
    {kSyncBatchNorm, kPart, "batch_norm_gather_stats"},
    {kGloo, kPrefix, "gloo:"},
    {kNccl, kPrefix, "nccl"},
    {kAllReduce, kPart, "allreduce"},
    {kAllReduce, kPart, "all_reduce"},
    {kAllReduce, kPart, "AllReduce"},
    {kPartOfEachRank, kPart, "gather"},
    {kPartOfEachRank, kPart, "Gather"},
    {kPartOfEachRank, kPart, "scatter"},
    {kPartOfEachRank, kPart, "Scatter"},
    {kPartOfEachRank, kPart, "alltoall"},
    {kPartOfEachRank, kPart, "all_to_all"},
    {kDistributedData, kPart, "DistributedDataParallel"},
    {kMovingAverage, kPart, "AssignMovingAvg"},
    {kMovingAverage, kPart, "moving_mean"},
    {kMovingAverage, kPart, "moving_variance"},
    {kSend, kPrefix, "_Send"},
    {kSend, kPrefix, "_HostSend"},
    {kReceive, kPrefix, "_Recv"},
    {kReceive, kPrefix, "_HostRecv"},
    {kVariable, kExact, "Variable"},
    {kVariable, kExact, "VariableV2"},
    {kVariable, kExact, "VarHandleOp"},
    {kOrtMemcpy, kPart, "MemcpyFromHost"},
    {kOrtMemcpy, kPart, "MemcpyToHost"},
    {kOutsideCompilation, kPart, "outside_compilation"},
    {kHostToDevice, kPart, "HtoD"},
    {kHostToDevice, kPart, "H2D"},
    {kHostToDevice, kPart, "HostToDevice"},
    {kDeviceToHost, kPart, "DtoH"},
    {kDeviceToHost, kPart, "D2H"},
    {kDeviceToHost, kPart, "DeviceToHost"},
    {kPageable, kPart, "Pageable"},
    {kPageable, kPart, "pageable"},
});

// Patterns by how they match, those found anywhere by their first character: a name is read once,
// and few patterns begin with any one character.
struct PatternIndex {
  std::vector<Pattern> at_border;
  std::array<std::vector<Pattern>, 256> anywhere;

  PatternIndex() {
    for (const Pattern& pattern : kPatterns) {
      (pattern.match == kPart ? anywhere[static_cast<uint8_t>(pattern.text.front())] : at_border)
          .push_back(pattern);
    }
  }
};

// "MatMul" of "dense/MatMul:MatMul"; nothing of "aten::mm".
std::string_view TypeIn(std::string_view name) {
  const size_t colon = name.rfind(':');
  if (colon == std::string_view::npos || colon == 0 || colon + 1 == name.size()) return {};
  if (name[colon - 1] == ':' || name[colon + 1] == ' ') return {};
  return name.substr(colon + 1);
}

bool MatchesAtBorder(const Pattern& pattern, std::string_view name) {
  switch (pattern.match) {
    case Match::kExact:
      return name == pattern.text;
    case Match::kPrefix:
      return name.starts_with(pattern.text);
    case Match::kSuffix:
      return name.ends_with(pattern.text);
    case Match::kPart:
      break;
  }
  return false;
}

}  // namespace

NameTags TagsOf(std::string_view name) {
  static const PatternIndex kIndex;
  const std::string_view type = TypeIn(name);
  NameTags tags;
  for (const Pattern& pattern : kIndex.at_border) {
    if (MatchesAtBorder(pattern, name) || (!type.empty() && MatchesAtBorder(pattern, type))) {
      tags.set(static_cast<size_t>(pattern.tag));
    }
  }
  for (size_t at = 0; at < name.size(); ++at) {
    for (const Pattern& pattern : kIndex.anywhere[static_cast<uint8_t>(name[at])]) {
      if (name.substr(at).starts_with(pattern.text)) tags.set(static_cast<size_t>(pattern.tag));
    }
  }
  return tags;
}

}  // namespace stepscope
