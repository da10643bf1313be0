#include "trace/names.h"

#include <gtest/gtest.h>

namespace stepscope {
namespace {

struct KernelName {
  std::string_view name;
  KernelCategory category;
  bool tensor_core;
};

TEST(TraitsOf, TellsRealKernelsApart) {
  using enum KernelCategory;
  const KernelName kernels[] = {
      // Volta and Turing
      {"volta_sgemm_64x64_nt", kGemm, false},
      {"volta_fp16_s884gemm_fp16_128x128_ldg8_f2f_nn", kGemm, true},
      {"volta_h884gemm_64x64_ldg8_nn", kGemm, true},
      {"volta_scudnn_128x64_relu_interior_nn_v1", kConvolution, false},
      {"turing_fp16_s1688gemm_fp16_128x128_ldg8_f2f_tn", kGemm, true},
      {"void cudnn::detail::dgrad_engine<float, 512, 6, 5, 3, 3, 3, false>(int)", kConvolution,
       false},
      {"void cudnn::bn_bw_1C11_kernel_new<float, float, float2, 512, true, 1>(float)",
       kNormalization, false},
      {"void implicit_convolve_sgemm<float, float, 1024, 6, 7, 3, 3, 5, 1>(int)", kConvolution,
       false},
      // Ampere
      {"ampere_fp16_s16816gemm_fp16_128x64_ldg8_f2f_stages_64x4_tn", kGemm, true},
      {"ampere_sgemm_128x64_tn", kGemm, false},
      {"sm80_xmma_gemm_f32f32_f32f32_f32_nn_n_tilesize256x128x8_stage3_warpsize4x2x1_ffma_aligna4",
       kGemm, false},
      {"sm80_xmma_fprop_implicit_gemm_tf32f32_tf32f32_f32_nhwckrsc_nhwc_tilesize64x128x32_stage5_"
       "warpsize2x2x1_g1_tensor16x8x8_kernel",
       kConvolution, true},
      {"void cutlass::Kernel2<cutlass_80_tensorop_bf16_s16816gemm_bf16_128x128_64x4_nn_align8>",
       kGemm, true},
      {"void cutlass::Kernel<cutlass_80_simt_sgemm_128x32_8x5_nn_align1>(x)", kGemm, false},
      // Hopper
      {"sm90_xmma_gemm_bf16bf16_bf16f32_f32_tn_n_tilesize128x128x64_warpgroupsize1x1x1_execute",
       kGemm, true},
      {"nvjet_sm90_tst_256x128_64x4_1x2_h_ssched_bz_coopA_NNT", kGemm, true},
      {"cutlass3x_sm90_tensorop_s64x256x16gemm_f16_f16_f32", kGemm, true},
      {"cudnn_generated_fort_native_sdpa_sm90_flash_fprop_wgmma_f16_knob_7_64x128x64_4x1x1",
       kAttention, true},
      // Blackwell
      {"nvjet_sm100_tst_128x256_64x6_2x1_2cta_v_bz_TNT", kGemm, true},
      {"cutlass3x_sm100_tensorop_gemm_bf16", kGemm, true},
      {"kernel_cutlass_tcgen05_persistent_gemm", kGemm, true},
      // Attention
      {"void pytorch_flash::flash_fwd_kernel<pytorch_flash::Flash_fwd_kernel_traits<64, 128>>(x)",
       kAttention, true},
      {"void pytorch_flash::flash_bwd_dq_dk_dv_loop_seqk_parallel_kernel<x>", kAttention, true},
      {"fmha_cutlassF_f16_aligned_64x64_rf_sm80(PyTorchMemEffAttention::AttentionKernel)",
       kAttention, true},
      // MI
      {"Cijk_Ailk_Bljk_BBS_BH_MT128x128x32_MI32x32x8x1_SN_1LDSB0", kGemm, true},
      {"Cijk_Alik_Bljk_SB_MT64x64x16_SE_K1", kGemm, false},
      {"attn_fwd.kd", kAttention, true},
      {"igemm_fwd_gtcx3_nhwc_bf16_bx0_ex1_bt256x64x8_wt64x16x4_ws1x1_wr2x2", kConvolution, true},
      {"SubTensorOpWithScalar1d", kElementwise, false},
      {"void ck_tile::kentry<64, ck_tile::FmhaFwdKernel<x>>", kAttention, true},
      // Everything else
      {"triton_poi_fused_add_mul_0", kTriton, false},
      {"triton_per_fused__to_copy_add_native_layer_norm_backward_view_7", kTriton, false},
      {"triton_tem_fused_mm_3", kGemm, true},
      {"void at::native::vectorized_elementwise_kernel<4, at::native::AddFunctor<float>>(int)",
       kElementwise, false},
      {"void at::native::(anonymous namespace)::multi_tensor_apply_kernel<at::native::(anonymous "
       "namespace)::FusedOptimizerTensorListMetadata<4>>",
       kOptimizer, false},
      {"void at::native::reduce_kernel<512, 1, at::native::ReduceOp<float>>(x)", kReduction, false},
      {"void (anonymous namespace)::softmax_warp_forward<float, float, float, 10, true>(x)",
       kSoftmax, false},
      {"void at::native::(anonymous namespace)::max_pool_forward_nchw<float>(int)", kPooling,
       false},
      {"void at::native::(anonymous namespace)::vectorized_layer_norm_kernel<float>(int)",
       kNormalization, false},
      {"void at::native::(anonymous namespace)::fused_dropout_kernel_vec<float>(x)", kRandom,
       false},
      {"void nchwToNhwcKernel<float, float, float, true, false>(int)", kTranspose, false},
      {"void splitKreduce_kernel<32, 16, int, float>(cublasSplitKParams<float>)", kGemm, false},
      {"ncclDevKernel_AllReduce_Sum_bf16_RING_LL(ncclDevKernelArgsStorage<4096ul>)", kCommunication,
       false},
      {"ncclKernel_AllGather_RING_LL_Sum_int8_t(ncclWorkElem)", kCommunication, false},
      {"Memcpy HtoD (Pageable -> Device)", kCopy, false},
      {"Memset (Device)", kMemset, false},
      {"__amd_rocclr_fillBufferAligned.kd", kMemset, false},
  };
  for (const KernelName& kernel : kernels) {
    const NameTraits traits = TraitsOf(kernel.name);
    EXPECT_EQ(NameOf(traits.category), NameOf(kernel.category)) << kernel.name;
    EXPECT_EQ(traits.tensor_core, kernel.tensor_core) << kernel.name;
    EXPECT_EQ(traits.communication, kernel.category == kCommunication) << kernel.name;
  }
}

TEST(TraitsOf, TellsRuntimeCallsApart) {
  for (const auto* name : {"cudaLaunchKernel", "cudaLaunchKernelExC", "cuLaunchKernelEx",
                           "cudaGraphLaunch", "hipLaunchKernel", "hipExtModuleLaunchKernel"}) {
    EXPECT_TRUE(TraitsOf(name).launch_call) << name;
    EXPECT_FALSE(TraitsOf(name).sync_call) << name;
  }
  for (const auto* name : {"cudaStreamSynchronize", "cudaDeviceSynchronize", "cuStreamSynchronize",
                           "hipDeviceSynchronize", "cudaMemcpy", "hipMemcpyWithStream"}) {
    EXPECT_TRUE(TraitsOf(name).sync_call) << name;
  }
  for (const auto* name : {"cudaMemcpyAsync", "cudaMemsetAsync", "cudaEventQuery",
                           "cudaStreamWaitEvent", "Stream Wait Event", "cudaStreamIsCapturing"}) {
    EXPECT_FALSE(TraitsOf(name).sync_call) << name;
  }
  EXPECT_TRUE(TraitsOf("cudaMemcpyAsync").copy_call);
  EXPECT_TRUE(TraitsOf("cudaMemcpy").copy_call);
  EXPECT_TRUE(TraitsOf("cudaMalloc").alloc_call);
  EXPECT_TRUE(TraitsOf("cudaHostAlloc").alloc_call);
  EXPECT_TRUE(TraitsOf("cuMemSetAccess").alloc_call);
  EXPECT_FALSE(TraitsOf("cuMemSetAccess").copy_call);
}

TEST(TraitsOf, TellsCompilingFromRunningCompiledCode) {
  for (const auto* name :
       {"cuModuleLoadData", "cuLibraryLoadData", "_compile.compile_inner (dynamo_timed)",
        "XlaCompile", "Lazy Function Loading"}) {
    EXPECT_TRUE(TraitsOf(name).compile) << name;
  }
  for (const auto* name :
       {"Torch-Compiled Region: 0/0", "CompiledFunction", "TorchDynamo Cache Lookup",
        "## Call CompiledFxGraph f6kfrvcuva7x5fvpmf6m3xdk67sdwojj ##"}) {
    EXPECT_FALSE(TraitsOf(name).compile) << name;
  }
}

TEST(TraitsOf, TellsHostSpansApart) {
  EXPECT_TRUE(TraitsOf("enumerate(DataLoader)#_SingleProcessDataLoaderIter.__next__").input_stage);
  EXPECT_TRUE(TraitsOf("enumerate(DataPipe)#MapperIterDataPipe").input_stage);
  EXPECT_TRUE(TraitsOf("Optimizer.step#SGD.step").optimizer);
  EXPECT_FALSE(TraitsOf("Optimizer.zero_grad#SGD.zero_grad").optimizer);
  EXPECT_TRUE(TraitsOf("autograd::engine::evaluate_function: AddBackward0").backward);
  EXPECT_TRUE(TraitsOf("CudnnConvolutionBackward").backward);
  EXPECT_TRUE(TraitsOf("ProfilerStep#5").step_marker);
  EXPECT_TRUE(TraitsOf("gloo:all_reduce").communication);
  EXPECT_TRUE(TraitsOf("nccl:all_reduce").communication);
  EXPECT_FALSE(TraitsOf("record_param_comms").communication);
  EXPECT_TRUE(TraitsOf("_c10d_functional::wait_tensor").wait_communication);
  const NameTraits nothing = TraitsOf("");
  EXPECT_EQ(nothing.category, KernelCategory::kOther);
  EXPECT_FALSE(TraitsOf("^profilerstep#").step_marker) << "borders of patterns are no text";
}

// The operators that the TensorBoard plugin calls eligible in its two ResNet-50 profiles, and their
// neighbours that it does not.
TEST(TraitsOf, AgreesWithTheTensorBoardPluginOnEligibleOps) {
  for (const auto* name :
       {"aten::cudnn_convolution_backward_weight", "aten::cudnn_convolution_backward_input",
        "aten::cudnn_convolution", "aten::mm", "aten::addmm", "aten::_convolution",
        "aten::convolution", "aten::conv2d", "aten::linear", "AddmmBackward",
        "aten::cudnn_convolution_backward", "CudnnConvolutionBackward"}) {
    EXPECT_TRUE(TraitsOf(name).tensor_core_eligible) << name;
  }
  for (const auto* name :
       {"aten::cudnn_batch_norm_backward", "aten::cudnn_batch_norm", "aten::add_", "aten::add",
        "aten::max_pool2d_with_indices", "aten::mean", "AddBackward0", "TBackward",
        "CudnnBatchNormBackward", "torch::autograd::AccumulateGrad", "aten::mul_"}) {
    EXPECT_FALSE(TraitsOf(name).tensor_core_eligible) << name;
  }
}

}  // namespace
}  // namespace stepscope
