#include "tools/tfprof/profile_run.h"

#include <gtest/gtest.h>

#include "base/testing/data.h"
#include "diff/open_side.h"

namespace stepscope {
namespace {

// The profile was written from run_meta_0 … 2 beside it: three steps, and the ops of both agree.
TEST(ProfileRun, HoldsTheStepsOfItsRunMetadata) {
  const auto runs = ReadTfprofRuns(SourceFile("tests/tfprof/conv/profile.pb.gz"));
  ASSERT_TRUE(runs && *runs);
  const diff::Run& run = (*runs)->front();
  EXPECT_EQ(run.steps.size(), 3u);
  EXPECT_FALSE(run.atoms.empty());
  const auto traced = diff::OpenSide({SourceFile("tests/tfprof/conv/run_meta_0.pb.gz")}, {});
  ASSERT_TRUE(traced);
  size_t common = 0;
  for (const diff::Atom& atom : traced->front().atoms) {
    for (const diff::Atom& known : run.atoms) {
      if (known.op == atom.op) {
        ++common;
        break;
      }
    }
  }
  EXPECT_GT(common, 5u);
}

TEST(ProfileRun, LeavesOtherFilesAlone) {
  const auto runs = ReadTfprofRuns(SourceFile("tests/tfprof/conv/graph.pb.gz"));
  ASSERT_TRUE(runs);
  EXPECT_FALSE(*runs);
}

}  // namespace
}  // namespace stepscope
