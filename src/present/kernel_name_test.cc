#include "present/kernel_name.h"

#include <gtest/gtest.h>

namespace stepscope {
namespace {

TEST(ShortKernelName, DropsWhatTellsKernelsApartTheLeast) {
  EXPECT_EQ(ShortKernelName("void at::native::vectorized_elementwise_kernel<4, "
                            "at::native::CUDAFunctor_add<c10::BFloat16>, std::array<char*, 3ul> "
                            ">(int, at::native::CUDAFunctor_add<c10::BFloat16>)"),
            "vectorized_elementwise_kernel<4, CUDAFunctor_add<…>, array<…>>");
  EXPECT_EQ(ShortKernelName("void (anonymous namespace)::elementwise_kernel_with_index<int, "
                            "at::native::arange_cuda_out(at::Tensor&)::{lambda()#1}>(int)"),
            "elementwise_kernel_with_index<int, arange_cuda_out(Tensor&)::{lambda()#1}>");
  EXPECT_EQ(ShortKernelName("void at::native::batch_norm<float>(float*)"), "batch_norm<float>");
}

TEST(ShortKernelName, LeavesOtherNamesAlone) {
  for (const char* name :
       {"Memcpy HtoD (Pinned -> Device)", "sm90_xmma_gemm_bf16bf16_tn_n_tilesize128x128x64",
        "triton_poi_fused_add_0", "ncclDevKernel_AllReduce_Sum_f32_RING_LL(ncclDevKernelArgs)",
        "Memset (Device)", "", "nvjet_tst_128x256"}) {
    EXPECT_EQ(ShortKernelName(name), name);
  }
}

TEST(WithTellingArgument, KeepsWhatSaysWhatTheKernelDoes) {
  EXPECT_EQ(WithTellingArgument("vectorized_elementwise_kernel<4, CUDAFunctor_add<…>, array<…>>"),
            "vectorized_elementwise_kernel<CUDAFunctor_add<…>>");
  EXPECT_EQ(WithTellingArgument("batch_norm_backward_kernel<BFloat16, float, float, int>"),
            "batch_norm_backward_kernel<…>");
  EXPECT_EQ(WithTellingArgument("Kernel2<cutlass_80_simt_sgemm_128x64_8x5_nn_align1>"),
            "cutlass_80_simt_sgemm_128x64_8x5_nn_align1");
  EXPECT_EQ(WithTellingArgument("Memset (Device)"), "");
}

TEST(ShortKernelName, TakesAnything) {
  for (const char* name : {"void ", "void <", "a::>>>>", "::(", "void a::b<c<d", "std::"}) {
    WithTellingArgument(ShortKernelName(name));
  }
}

}  // namespace
}  // namespace stepscope
