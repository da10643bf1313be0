#include "tools/nan/tfdbg/check_numerics_log.h"

#include <gtest/gtest.h>

namespace stepscope {
namespace {

// As TensorFlow 2.21 prints it (add_check_numerics_ops): twice, in the error and its cause.
TEST(FindCheckNumerics, NamesTheOpOfAddCheckNumericsOps) {
  const auto found = FindCheckNumerics(
      "tensorflow.python.framework.errors_impl.InvalidArgumentError: log_of_zero:0 : Tensor had "
      "Inf values\n\t [[{{node CheckNumerics_1}}]]\n\nNode: 'CheckNumerics_1'\n"
      "log_of_zero:0 : Tensor had Inf values\n");
  ASSERT_EQ(found.size(), 1u);
  EXPECT_EQ(found[0].op, "log_of_zero:0");
  EXPECT_EQ(found[0].line, 1u);
  EXPECT_TRUE(found[0].health.inf);
  EXPECT_FALSE(found[0].health.nan);
}

TEST(FindCheckNumerics, ReadsTheStackOfEnableCheckNumerics) {
  const auto found = FindCheckNumerics(R"(
!!! Detected Infinity or NaN in output 0 of graph op "Log" (# of outputs: 1) !!!
  dtype: <dtype: 'float32'>
  shape: (2,)

  Input tensor: Tensor("x:0", shape=(2,), dtype=float32)
  Graph name: "f"

  Stack trace of op's creation ("->": inferred user code):
    + /home/me/train.py (L12) <module>
 -> |   f(x)
    + ...ite-packages/tensorflow/python/ops/gen_math_ops.py (L5713) log
    |   

 : Tensor had -Inf and NaN values
	 [[{{node log_of_zero/CheckNumericsV2}}]] [Op:__inference_f_14]
)");
  ASSERT_EQ(found.size(), 1u);
  EXPECT_EQ(found[0].op, "log_of_zero");
  EXPECT_EQ(found[0].op_type, "Log");
  EXPECT_EQ(found[0].graph, "f");
  EXPECT_FALSE(found[0].eager);
  EXPECT_TRUE(found[0].health.neg_inf && found[0].health.nan);
  EXPECT_FALSE(found[0].health.pos_inf);
  ASSERT_EQ(found[0].stack.size(), 2u);
  EXPECT_EQ(found[0].stack[0].file, "/home/me/train.py");
  EXPECT_EQ(found[0].stack[0].line, 12);
  EXPECT_EQ(found[0].stack[0].code, "f(x)");
  EXPECT_EQ(found[0].stack[1].function, "log");
}

TEST(FindCheckNumerics, CountsEagerElements) {
  const auto found = FindCheckNumerics(
      "!!! Detected Infinity or NaN in output 0 of eagerly-executing op \"Log\" (# of outputs: 1) "
      "!!!\n  # of -Inf elements: 1\n  # of +NaN elements: 4\n\n : Tensor had -Inf and NaN "
      "values\n");
  ASSERT_EQ(found.size(), 1u);
  EXPECT_TRUE(found[0].eager);
  EXPECT_EQ(found[0].health.counts->neg_inf, 1u);
  EXPECT_EQ(found[0].health.counts->nan, 4u);
}

TEST(FindCheckNumerics, FindsNothingInOtherLogs) {
  EXPECT_TRUE(FindCheckNumerics("step 1 loss 0.3\nTensor had a nice day\n").empty());
  EXPECT_TRUE(FindCheckNumerics("").empty());
}

}  // namespace
}  // namespace stepscope
