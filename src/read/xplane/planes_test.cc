#include "read/xplane/planes.h"

#include <gtest/gtest.h>

namespace stepscope::xplane {
namespace {

TEST(ParsePlaneName, TellsDevicesFromTheHost) {
  EXPECT_EQ(ParsePlaneName("/host:CPU").type, PlaneType::kHost);
  EXPECT_EQ(ParsePlaneName("Task Environment").type, PlaneType::kHost);
  EXPECT_EQ(ParsePlaneName("/device:GPU:6").type, PlaneType::kGpu);
  EXPECT_EQ(ParsePlaneName("/device:GPU:6").index, 6);
  const PlaneName sparse = ParsePlaneName("/device:TPU:3 SparseCore 1");
  EXPECT_EQ(sparse.type, PlaneType::kTpu);
  EXPECT_EQ(sparse.index, 3);
  EXPECT_TRUE(sparse.sparse_core);
  EXPECT_EQ(ParsePlaneName("/device:CUSTOM:MOSAIC:2").type, PlaneType::kOtherDevice);
}

TEST(RoleOfLine, DerivedLinesAreNotWork) {
  using enum LineRole;
  EXPECT_EQ(RoleOfLine(PlaneType::kGpu, "Stream #14(Compute,MemcpyD2D)"), kStream);
  EXPECT_EQ(RoleOfLine(PlaneType::kGpu, "TensorFlow Ops"), kDerived);
  EXPECT_EQ(RoleOfLine(PlaneType::kGpu, "TensorFlow Name Scope"), kDerived);
  EXPECT_EQ(RoleOfLine(PlaneType::kGpu, "XLA Ops"), kDerived);
  EXPECT_EQ(RoleOfLine(PlaneType::kGpu, "XLA Ops - from #7"), kDerived);
  EXPECT_EQ(RoleOfLine(PlaneType::kGpu, "Steps"), kDeviceSteps);
  EXPECT_EQ(RoleOfLine(PlaneType::kGpu, "CUPTI overhead"), kOverhead);
  EXPECT_EQ(RoleOfLine(PlaneType::kTpu, "XLA Ops"), kXlaOps);
  EXPECT_EQ(RoleOfLine(PlaneType::kTpu, "Async XLA Ops"), kDerived);
  EXPECT_EQ(RoleOfLine(PlaneType::kHost, "Steps"), kThread);
}

TEST(ReadKernelDetails, BothSpellings) {
  DeviceArgs now;
  ReadKernelDetails(
      "regs:168 static_shared:16 dynamic_shared:213172 grid:2,66,1 block:384,1,1 occ_pct:18.75",
      now);
  EXPECT_EQ(now.registers, 168);
  EXPECT_EQ(now.shared_memory, 213188u);
  EXPECT_EQ(now.grid[1], 66u);
  EXPECT_EQ(now.block[0], 384);
  EXPECT_FLOAT_EQ(now.occupancy_percent, 18.75F);
  DeviceArgs of_2020;
  ReadKernelDetails("regs:16 shm:8 grid:16,1,1 block:1024,1,1", of_2020);
  EXPECT_EQ(of_2020.registers, 16);
  EXPECT_EQ(of_2020.shared_memory, 8u);
  EXPECT_EQ(of_2020.block[0], 1024);
  EXPECT_FLOAT_EQ(of_2020.occupancy_percent, -1);
}

TEST(BytesOfTransfer, BothSpellings) {
  EXPECT_EQ(BytesOfTransfer("kind_src:pinned kind_dst:device size:16777216 dest:0 async:1"),
            16777216);
  EXPECT_EQ(BytesOfTransfer("size:112 dest:4 async:0"), 112);
  EXPECT_EQ(BytesOfTransfer("num_bytes:112 dest:4"), 112);
  EXPECT_EQ(BytesOfTransfer("dest:4"), std::nullopt);
}

TEST(KindOfXlaOp, ContainersAreNotWork) {
  EXPECT_EQ(KindOfXlaOp("loop fusion"), Kind::kKernel);
  EXPECT_EQ(KindOfXlaOp("all-reduce"), Kind::kCollective);
  EXPECT_EQ(KindOfXlaOp("all-reduce-scatter fusion"), Kind::kCollective);
  EXPECT_EQ(KindOfXlaOp("copy-done"), Kind::kCopy);
  EXPECT_EQ(KindOfXlaOp("while"), Kind::kDeviceOp);
}

}  // namespace
}  // namespace stepscope::xplane
