#include "diff/kernel_family.h"

#include <gtest/gtest.h>

namespace stepscope::diff {
namespace {

TEST(KernelFamily, BaseDropsWhatTemplatesAndCompilersAdd) {
  EXPECT_EQ(BaseName("void at::native::vectorized_elementwise_kernel<4, at::native::Add<float>, "
                     "std::array<char*, 3ul> >(int, float)"),
            "at::native::vectorized_elementwise_kernel");
  EXPECT_EQ(BaseName("void (anonymous namespace)::softmax_warp<float, 8>(float*)"), "softmax_warp");
  EXPECT_EQ(BaseName("Memcpy HtoD (Pinned -> Device)"), "Memcpy HtoD (Pinned -> Device)");
  EXPECT_EQ(BaseName("Cijk_Ailk_Bjlk.kd"), "Cijk_Ailk_Bjlk");
}

TEST(KernelFamily, FamilyDropsNumbers) {
  EXPECT_EQ(FamilyName("triton_poi_fused_add_mul_3"), "triton_poi_fused_add_mul");
  EXPECT_EQ(FamilyName("fusion.12"), "fusion");
  EXPECT_EQ(FamilyName("sm90_xmma_gemm_bf16bf16_bf16f32_f32_tn_n_tilesize128x128x64"),
            "gemm[bf16]");
  EXPECT_EQ(FamilyName("sm80_xmma_gemm_bf16bf16_bf16f32_f32_nn_n_tilesize96x64x32"), "gemm[bf16]");
  EXPECT_EQ(FamilyName("loop_add_0a1b2c3d4e"), "loop_add");
}

TEST(KernelFamily, LayersRollUp) {
  EXPECT_EQ(RolledUp("encoder.layer.3.attention"), "encoder.layer.*.attention");
  EXPECT_EQ(RolledUp("Block_11"), "Block_*");
  EXPECT_EQ(RolledUp("Conv2d"), "Conv2d");
}

}  // namespace
}  // namespace stepscope::diff
