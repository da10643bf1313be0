#include <fmt/core.h>
#include <gtest/gtest.h>

#include "advise/testing/drawn.h"

// Where nothing is to gain nothing is claimed: what every program of a framework does, drawn small
// beside the fault that looks like it.
namespace stepscope {
namespace {

Drawn QuietStep(std::string lines, std::string framework = "PyTorch") {
  return {.lines = std::move(lines), .framework = std::move(framework)};
}

// A copy that the program asks for can be left out. One that another op makes for itself cannot.
TEST(DrawnQuiet, CopiesThatOpsMakeForThemselves) {
  const auto advice = [](std::string_view around) {
    return AdviceOnDrawn(
        QuietStep(fmt::format("main {}op:aten::contiguous 12..29  "
                              "op:aten::clone 13..28  op:aten::copy_ 14..27  "
                              "launch#1 15..20  launch#2 40..45\n"
                              "gpu:0 copy#1 30..230  gemm#2 240..990\n",
                              around)));
  };
  EXPECT_TRUE(Fired(advice(""), "layout-transpose-overhead"));
  EXPECT_TRUE(Fired(advice("op:aten::reshape 10..30  "), "layout-transpose-overhead"));
  EXPECT_FALSE(Fired(advice("op:aten::native_layer_norm 10..30  "), "layout-transpose-overhead"));
  EXPECT_FALSE(Fired(advice("op:ViewBackward0 10..30  "), "layout-transpose-overhead"));
}

// JAX goes from one executable to the next in up to 250 µs. The rest is the program's own.
TEST(DrawnQuiet, WaitingForAnExecutableAndCallingTheNext) {
  const auto advice = [](int until) {
    return AdviceOnDrawn(QuietStep(
        fmt::format("main py:train.py(3): step 0..998  op:PjitFunction(f) 1..20  launch#1 5..10  "
                    "op:PjitFunction(f) {0}..{1}  launch#2 {0}..{1}\n"
                    "gpu:0 gemm#1 10..300  gemm#2 {1}..990\n",
                    until, until + 9),
        "JAX"));
  };
  EXPECT_FALSE(Fired(advice(500), "gpu-idle-gap-attribution"));
  EXPECT_TRUE(Fired(advice(900), "gpu-idle-gap-attribution"));
}

// Pointwise chains of a tenth of the step are in every eager model; of half of it they are a fault.
TEST(DrawnQuiet, ShortChainsAreAHint) {
  const auto finding = [](int each) {
    std::string host = "main ";
    std::string device = "gpu:0 ";
    int at = 40;
    for (int i = 1; i <= 4; ++i) {
      host += fmt::format("launch#{} {}..{}  ", i, i, i + 1);
      device += fmt::format("vectorized_elementwise_kernel#{} {}..{}  ", i, at, at + each);
      at += each;
    }
    return AdviceOnDrawn(
        QuietStep(fmt::format("{}launch#9 8..9\n{}gemm#9 {}..990\n", host, device, at + 1)));
  };
  const Advice few = finding(28);
  const Advice many = finding(140);
  const Finding* hint = FindingOf(few, "elementwise-unfused-chain");
  ASSERT_NE(hint, nullptr);
  EXPECT_EQ(hint->severity, FindingSeverity::kLow);
  const Finding* fault = FindingOf(many, "elementwise-unfused-chain");
  if (fault == nullptr) fault = FindingOf(many, "kernels-memory-bound");
  ASSERT_NE(fault, nullptr);
  EXPECT_EQ(fault->severity, FindingSeverity::kHigh);
}

}  // namespace
}  // namespace stepscope
