#include "ranks/student.h"

#include <gtest/gtest.h>

namespace stepscope {
namespace {

// From printed tables of Student's distribution, one tail.
TEST(Student, QuantilesAreThoseOfTheTables) {
  EXPECT_NEAR(StudentQuantile(0.05, 1), 6.314, 0.001);
  EXPECT_NEAR(StudentQuantile(0.0005, 1), 636.619, 0.01);
  EXPECT_NEAR(StudentQuantile(0.025, 2), 4.303, 0.001);
  EXPECT_NEAR(StudentQuantile(0.001, 3), 10.215, 0.001);
  EXPECT_NEAR(StudentQuantile(0.0005, 5), 6.869, 0.001);
  EXPECT_NEAR(StudentQuantile(0.0005, 10), 4.587, 0.001);
  EXPECT_NEAR(StudentQuantile(0.01, 30), 2.457, 0.001);
  EXPECT_NEAR(StudentQuantile(0.0005, 120), 3.373, 0.001);
  EXPECT_NEAR(StudentQuantile(0.025, 1e6), 1.960, 0.001);
}

}  // namespace
}  // namespace stepscope
