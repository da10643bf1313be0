#include "analyze/modules/modules.h"

#include <gtest/gtest.h>

#include "analyze/testing/analyzed.h"

namespace stepscope {
namespace {

TEST(Modules, OneRowAPath) {
  const Analyzed a = AnalyzeText(R"(
    main    module:nn.Module: Net_0 0..100   module:nn.Module: Linear_0 10..30   aten::mm 12..20   launch#1 13..14
    main    module:nn.Module: Linear_1 40..80   aten::mm 42..50   launch#2 43..44
    main    module:nn.Module: Net_0 200..300   module:nn.Module: Linear_0 210..230   launch#3 213..214
    gpu:0   gemm#1 20..30   gemm#2 50..90   gemm#3 220..230
  )");
  ASSERT_EQ(a.report.modules.size(), 3u);
  EXPECT_EQ(a.report.modules[0].path, "Net_0");
  EXPECT_EQ(a.report.modules[0].calls, 2u);
  EXPECT_EQ(a.report.modules[0].host_total.ns, 200);
  EXPECT_EQ(a.report.modules[0].device_total.ns, 60);
  EXPECT_EQ(a.report.modules[1].path, "Net_0 > Linear_1");
  EXPECT_EQ(a.report.modules[1].device_total.ns, 40);
  EXPECT_EQ(a.report.modules[2].path, "Net_0 > Linear_0");
  EXPECT_EQ(a.report.modules[2].calls, 2u);
  EXPECT_EQ(a.report.modules[2].device_total.ns, 20);
}

}  // namespace
}  // namespace stepscope
