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

TEST(Modules, WithoutModulesTheFunctionsThatCalled) {
  const Analyzed a = AnalyzeText(R"(
    main    py:train.py(3): main 0..100   py:/env/lib/site-packages/torch/nn/functional.py(9): linear 10..60   launch#1 13..14
    gpu:0   gemm#1 20..30
  )");
  ASSERT_EQ(a.report.modules.size(), 2u);
  EXPECT_EQ(a.report.modules[1].path, "train.py(3): main > torch/nn/functional.py(9): linear");
  EXPECT_EQ(a.report.modules[1].device_total.ns, 10);
}

TEST(Modules, WithoutFramesTheStacksThatOpsCarry) {
  Trace trace = TraceText(R"(
    main    aten::linear 0..100   aten::addmm 20..80   launch#1 30..40   aten::add 100..110   launch#2 101..102
    gpu:0   gemm#1 50..90   add#2 110..115
  )");
  trace.op_args.resize(trace.op_args.size() + 2);
  const auto set_stack = [&](std::string_view op, std::string_view stack) {
    const uint32_t slice = SliceNamed(trace, op);
    OpArgs args;
    args.stack = trace.strings.Intern(stack);
    trace.slices.args[slice] = static_cast<uint32_t>(trace.op_args.size());
    trace.op_args.push_back(args);
  };
  set_stack("aten::linear", "nn.py(7): linear;train.py(3): main");
  set_stack("aten::add", "train.py(3): main");
  trace.traits.resize(trace.strings.size());
  const Analyzed a = AnalyzeDrawn(std::move(trace));
  ASSERT_EQ(a.report.modules.size(), 2u);
  EXPECT_EQ(a.report.modules[0].path, "train.py(3): main");
  EXPECT_EQ(a.report.modules[0].host_total.ns, 110);  // an op inside another counts once
  EXPECT_EQ(a.report.modules[0].device_total.ns, 45);
  EXPECT_EQ(a.report.modules[1].path, "train.py(3): main > nn.py(7): linear");
  EXPECT_EQ(a.report.modules[1].host_total.ns, 100);
  EXPECT_EQ(a.report.modules[1].device_total.ns, 40);
}

}  // namespace
}  // namespace stepscope
